// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/compile.h>

#include <span>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::fuzz {

/// A graph and everything that decides what it is run on; the data are a function of these.
struct Case {
  graph::Graph graph;
  uint64_t data_seed = 1;
  /// Values of the symbols, one list a call: the graph is compiled once and called with each.
  std::vector<std::vector<int64_t>> calls = {{}};
  int misaligned = 0;  ///< elements that the inputs' first elements stand after a multiple of 64 bytes
};

/// How a graph is compiled.
struct Way {
  Device device = Device::cpu();
  Fusion fusion = Fusion::all;
  Math math = Math::accurate;
};

enum class Verdict : uint8_t {
  equal,
  different,  ///< other bits than the reference interpreter's (any NaN equals any NaN), or an error
  refused,    ///< the interpreter refuses these data: an index out of range
};

struct Outcome {
  Verdict verdict = Verdict::equal;
  std::string text;
};

/// Compiles (no cache is read or written) and runs the case in each of the ways; the first difference decides. What
/// depends on approximations is compared, on a GPU, with what it computes op by op: its bits are its own, but they hang
/// on nothing else.
Outcome compare(const Case& c, std::span<const Way> ways);

/// Empty, or why not even one op runs in each of the ways: no such device, or its back end is not found.
std::string why_nothing_runs(std::span<const Way> ways);

/// Both fusions on the CPU, and approximations.
inline constexpr Way cpu_ways[] = {
    {Device::cpu(), Fusion::all}, {Device::cpu(), Fusion::none}, {Device::cpu(), Fusion::all, Math::fast}};

/// Value of an expression over symbols.
int64_t value_of(graph::Expr e, std::span<const int64_t> symbols);
Dims shape_of(const graph::ValueType& type, std::span<const int64_t> symbols);

/// What `difference_of` reads: the graph in its text form.
struct Reproduction {
  const char* graph;
  uint64_t data_seed = 1;
  std::vector<std::vector<int64_t>> calls = {{}};
  int misaligned = 0;
};
/// Empty, or the difference in words.
std::string difference_of(const Reproduction& r, std::span<const Way> ways = cpu_ways);
/// The case as a test to be pasted into reproductions_test.cpp.
std::string test_text(const Case& c, const std::string& name);

}  // namespace sinter::fuzz
