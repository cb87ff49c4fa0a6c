// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/compiler/compile.h"
#include "src/graph/registry.h"
#include "src/reference/array.h"

namespace sinter::test {

/// One call of one op with data, from the op's sampler.
struct OpCase {
  graph::Graph graph;
  std::vector<reference::Array> inputs;
  std::string name;  ///< "add #3 f16 [7,16], f16 [16]"
};

std::optional<OpCase> op_case(const graph::OpDef& op, int variant);
/// Runs a graph on a device through the compiler; inputs dense.
std::vector<reference::Array> run_on(Device device, graph::Graph graph, const std::vector<reference::Array>& inputs,
                                     const compiler::Options& options = {}, std::span<const int64_t> symbols = {});
/// First difference in words, or empty. Bits must be equal, but any NaN equals any NaN, and an error of `allowed` times
/// max(1, |expected|) passes.
std::string difference(const reference::Array& expected, const reference::Array& got, double allowed = 0);

/// Every `of`th case, from `index`: parts of a whole, for processes that run side by side.
struct Part {
  size_t index = 0, of = 1;
};

/// Runs the part of every sampler case of every op on the device and compares with the reference interpreter; returns
/// the failures.
std::vector<std::string> compare_all_ops(Device device, int& cases, const Part& part = {});

/// The same with another backend, for every `stride`th case.
std::vector<std::string> compare_all_backends(Device device, const std::string& backend, int stride, int& cases,
                                              const Part& part = {});

/// Runs every `stride`th sampler case of every op, read by an addition and a cast, with each Fusion, with and
/// without the op's own result as an extra output: no bit may differ. Returns the failures.
std::vector<std::string> compare_all_fusions(Device device, int stride, int& cases, const Part& part = {});

}  // namespace sinter::test
