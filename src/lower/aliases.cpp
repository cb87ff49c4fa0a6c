// SPDX-License-Identifier: Apache-2.0
#include "src/lower/aliases.h"

#include <algorithm>

#include "src/graph/registry.h"
#include "src/loop/address.h"
#include "src/lower/planned_group.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::NodeId;

/// The input that the node is a chain of views of, or -1.
NodeId viewed_input(const graph::Graph& g, NodeId id) {
  while (g.node(id).op != nullptr && g.node(id).op->op_class == graph::OpClass::view) id = g.node(id).operands[0].node;
  return g.node(id).op == nullptr ? id : -1;
}

std::optional<loop::Alias> alias_of(const graph::Graph& g, NodeId id) {
  const NodeId input = viewed_input(g, id);
  if (input < 0) return std::nullopt;
  const auto position = static_cast<size_t>(std::ranges::find(g.inputs(), graph::Value{input, 0}) - g.inputs().begin());
  const graph::Layout& layout = g.input_layout(position);
  if (input == id) return loop::Alias{-1, static_cast<int>(position), layout.offset, layout.strides};
  Materialized none;
  const Options options;
  NestReader reader(g, options, none, space_of(g, id), {id});
  const loop::Value v = reader.root_element(id);
  loop::Nest nest;
  nest.axes = reader.axes();
  nest.body = reader.take_body();
  const loop::Instruction& load = nest.body[v.id];
  if (load.kind != loop::InstructionKind::load || load.operands[0] >= 0) return std::nullopt;
  const loop::Buffer buffer{g.type({input, 0}).dtype, loop::BufferRole::input, static_cast<int>(position),
                            g.type({input, 0}).shape, layout.strides,          layout.offset};
  const Expr address = loop::linear_address(buffer, load.index, loop::nest_ranges(nest, g.ranges));
  const auto affine = loop::as_affine(address, nest.axes.size());
  if (!affine) return std::nullopt;
  loop::Alias alias{-1, static_cast<int>(position), affine->base, {}};
  size_t axis = 0;
  for (Expr e : g.type({id, 0}).shape)
    alias.strides.push_back(e.is_constant(1) ? Expr(1) : affine->coefficients[axis++]);
  const bool forward = std::ranges::all_of(alias.strides, [&](Expr s) { return g.ranges.of(s).first >= 0; });
  return forward ? std::optional(alias) : std::nullopt;
}

}  // namespace

std::vector<loop::Alias> find_aliases(const graph::Graph& g) {
  std::vector<loop::Alias> aliases;
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    if (!g.output_order(i).empty()) continue;  // memory of its own, in that order
    if (auto alias = alias_of(g, g.outputs()[i].node)) {
      alias->output = static_cast<int>(i);
      aliases.push_back(std::move(*alias));
    }
  }
  return aliases;
}

}  // namespace sinter::lower
