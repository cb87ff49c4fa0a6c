// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_graph.h"

namespace sinter::capture {
namespace {

graph::Expr extent_at(std::span<const int64_t> key, size_t position, const SymbolMap& symbols) {
  const int32_t s = symbols[position];
  return s < 0 ? graph::Expr(key[position]) : graph::Expr::symbol(s);
}

std::vector<graph::Expr> channels_last_strides(std::span<const graph::Expr> shape) {
  std::vector<graph::Expr> strides(shape.size(), graph::Expr(1));
  graph::Expr next = shape[1];
  for (size_t d = shape.size(); d-- > 2; next = next * shape[d]) strides[d] = next;
  strides[0] = next;
  return strides;
}

graph::Value add_input(graph::Graph& g, const KeyLayout::Input& in, std::span<const int64_t> key,
                       const SymbolMap& symbols) {
  const auto meta = static_cast<uint64_t>(key[in.meta]);
  graph::ValueType type{meta_dtype(meta), {}};
  const auto rank = static_cast<size_t>(meta_rank(meta));
  for (size_t d = 0; d < rank; ++d) type.shape.push_back(extent_at(key, in.extents + d, symbols));
  if (meta_order(meta) == MemoryOrder::row_major) return g.add_input(std::move(type));
  graph::Layout layout;
  if (meta_order(meta) == MemoryOrder::channels_last)
    layout.strides = channels_last_strides(type.shape);
  else
    for (size_t d = 0; d < rank; ++d) layout.strides.push_back(extent_at(key, in.strides + d, symbols));
  return g.add_input(std::move(type), std::move(layout));
}

/// Promoted extents are from 2 to max_extent (guarded).
void set_ranges(graph::Graph& g, std::span<const TraceNode* const> path, const KeyLayout& layout,
                std::span<const int64_t> key, const SymbolMap& symbols) {
  for (size_t p = 0; p < layout.numbers; ++p)
    if (symbols[p] >= 0 && is_extent_word(layout, key, p)) g.ranges.set_symbol(symbols[p], 2, graph::max_extent);
  size_t position = layout.numbers;
  for (const TraceNode* node : path)
    for (size_t i = 0; i < node->kinds.size(); ++i, ++position)
      if (symbols[position] >= 0 && (node->extent_mask >> i & 1) != 0)
        g.ranges.set_symbol(symbols[position], 2, graph::max_extent);
}

}  // namespace

graph::Attributes node_attributes(const TraceNode& node, std::span<const int64_t> key, size_t first,
                                  const SymbolMap& symbols) {
  graph::Attributes a;
  a.words = node.words;
  for (size_t i = 0; i < node.kinds.size(); ++i) {
    const size_t position = first + i;
    graph::Scalar s;
    s.literal = {node.kinds[i], key[position]};
    if ((node.extent_mask >> i & 1) != 0) {
      s.is_extent = true;
      s.expr = extent_at(key, position, symbols);
    } else {
      s.symbol = symbols[position];
      if (s.symbol >= 0) s.literal.bits = 0;
    }
    a.scalars.push_back(s);
  }
  return a;
}

graph::Graph region_graph(std::span<const TraceNode* const> path, std::span<const int64_t> key, size_t input_count,
                          std::span<const int32_t> outputs, std::span<const RegionWrite> writes,
                          const SymbolMap& symbols) {
  const KeyLayout layout = layout_of(key, input_count);
  graph::Graph g;
  g.set_symbol_count(static_cast<int>(key.size()));
  set_ranges(g, path, layout, key, symbols);
  std::vector<graph::Value> inputs, slots;
  for (const KeyLayout::Input& in : layout.inputs) inputs.push_back(add_input(g, in, key, symbols));
  size_t next = layout.numbers;
  for (const TraceNode* node : path) {
    std::vector<graph::Value> operands;
    for (OperandCode c : node->operands)
      operands.push_back(c >= 0 ? slots[static_cast<size_t>(c)] : inputs[static_cast<size_t>(~c)]);
    const graph::NodeId id =
        g.add(*node->op, std::move(operands), node_attributes(*node, key, next, symbols), node->line);
    next += node->kinds.size();
    slots.push_back({id, 0});
  }
  for (int32_t slot : outputs) g.add_output(slots[static_cast<size_t>(slot)]);
  for (const RegionWrite& w : writes) {
    const auto meta = static_cast<uint64_t>(key[layout.inputs[static_cast<size_t>(w.input)].meta]);
    g.add_write({slots[static_cast<size_t>(w.slot)], w.input, meta_overlapped(meta)});
  }
  return g;
}

}  // namespace sinter::capture
