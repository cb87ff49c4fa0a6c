// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/graph/registry.h"
#include "tests/fuzz/compare.h"

namespace sinter::fuzz {
namespace {

using graph::Graph;
using graph::NodeId;

bool is_written_value(const Graph& g, NodeId id) {
  return std::ranges::any_of(g.writes(), [&](const graph::Write& w) { return w.value.node == id; });
}

}  // namespace

NodeId memory_of(const Graph& g, graph::Value v) {
  NodeId id = v.node;
  for (;; id = g.node(id).operands[0].node) {
    const graph::OpDef* op = g.node(id).op;
    const bool is_view = op != nullptr && (op->op_class == graph::OpClass::view || op->scatter != nullptr);
    if (!is_view || is_written_value(g, id)) return id;
  }
}

bool may_share_input(const Graph& g, graph::Value output) {
  const NodeId memory = memory_of(g, output);
  return g.node(memory).op == nullptr || is_written_value(g, memory);
}

bool may_leave(const Graph& g, graph::Value v) {
  const graph::Value memory{memory_of(g, v), 0};
  return std::ranges::none_of(g.writes(), [&](const graph::Write& w) {
    return g.inputs()[static_cast<size_t>(w.input)] == memory && !(w.value == memory);
  });
}

bool is_distinct(const graph::ValueType& type, const graph::Layout& layout, std::span<const int64_t> symbols) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  const Dims shape = shape_of(type, symbols);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1) dims.emplace_back(std::abs(value_of(layout.strides[d], symbols)), shape[d]);
  std::ranges::sort(dims);
  int64_t span = 0;
  for (const auto& [stride, extent] : dims) {
    if (stride <= span) return false;
    span += stride * (extent - 1);
  }
  return true;
}

}  // namespace sinter::fuzz
