// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/registry.h"
#include "src/loop/program.h"
#include "src/lower/lower.h"
#include "src/reference/array.h"

namespace sinter::test {

/// Writes graphs in tests.
struct GraphBuilder {
  graph::Graph g;

  graph::Value input(DType dtype, const std::vector<graph::Expr>& shape) { return g.add_input({dtype, shape}); }
  graph::Value op(std::string_view name, std::vector<graph::Value> operands, const graph::CallAttributes& a = {});
  graph::Value unary(std::string_view name, graph::Value x) { return op(name, {x}); }
  graph::Value binary(std::string_view name, graph::Value a, graph::Value b);
  graph::Value with_number(std::string_view name, graph::Value a, double number);
  graph::Value reduce(std::string_view name, graph::Value x, const Dims& dims, bool keepdim = false);
  graph::Value to(graph::Value x, DType dtype) { return op("to", {x}, graph::CallAttributes().dtype(dtype)); }
  graph::Value permute(graph::Value x, const Dims& dims);
  graph::Value reshape(graph::Value x, const Dims& shape);
  /// exp(x - max) / sum over the last dim, in f32.
  graph::Value softmax(graph::Value x);
};

/// Decomposes and lowers; verifies, and checks that the text form reads back. `collapsed`: as the schedule gets it.
loop::Program lowered(const graph::Graph& g, const lower::Options& options = {}, bool collapsed = true);

/// Runs a program on dense arrays; outputs (aliases too) by the graph's types.
std::vector<reference::Array> run(const loop::Program& program, const graph::Graph& g,
                                  const std::vector<reference::Array>& inputs, std::span<const int64_t> symbols = {});

/// Random values, some of them special.
reference::Array random_values(DType dtype, const Dims& shape, uint64_t seed);

/// Empty, or where two arrays differ (any NaN equals any NaN).
std::string first_difference(const reference::Array& expected, const reference::Array& got);

}  // namespace sinter::test
