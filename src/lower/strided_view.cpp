// SPDX-License-Identifier: Apache-2.0
#include "src/lower/strided_view.h"

#include <algorithm>

#include "src/graph/registry.h"
#include "src/graph/seeded_fault.h"
#include "src/graph/text.h"
#include "src/loop/address.h"
#include "src/lower/planned_group.h"

namespace sinter::lower {

using graph::Expr;
using graph::NodeId;

namespace {

graph::Layout memory_of(const graph::Graph& g, NodeId base) {
  if (g.node(base).op != nullptr) return graph::contiguous_layout(g.type({base, 0}).shape);
  const auto input = std::ranges::find(g.inputs(), graph::Value{base, 0}) - g.inputs().begin();
  return g.input_layout(static_cast<size_t>(input));
}

bool is_followed(const graph::OpDef& op) {
  if (op.op_class == graph::OpClass::view) return true;
  return op.op_class == graph::OpClass::indexed && planted(graph::Fault::copy_elided);  // the fault: tests only
}

}  // namespace

std::vector<NodeId> view_chain(const graph::Graph& g, NodeId id) {
  std::vector<NodeId> chain{id};
  while (g.node(id).op != nullptr && is_followed(*g.node(id).op)) {
    id = g.node(id).operands[0].node;
    chain.push_back(id);
  }
  std::ranges::reverse(chain);
  return chain;
}

std::optional<StridedView> view_in(const graph::Graph& g, NodeId id, NodeId base) {
  return view_in(g, id, base, memory_of(g, base));
}

std::optional<StridedView> view_in(const graph::Graph& g, NodeId id, NodeId base, const graph::Layout& layout) {
  if (base == id) return StridedView{base, layout.offset, layout.strides};
  Materialized memory;
  if (g.node(base).op != nullptr) memory.emplace(base, "");
  const Options options;
  NestReader reader(g, options, memory, space_of(g, id), {id});
  const loop::Value v = reader.root_element(id);
  loop::Nest nest;
  nest.axes = reader.axes();
  nest.body = reader.take_body();
  const loop::Instruction& load = nest.body[v.id];
  if (load.kind != loop::InstructionKind::load || load.operands[0] >= 0) return std::nullopt;
  const graph::ValueType& type = g.type({base, 0});
  const loop::Buffer buffer{type.dtype, loop::BufferRole::input, 0, type.shape, layout.strides, layout.offset};
  const Expr address = loop::linear_address(buffer, load.index, loop::nest_ranges(nest, g.ranges));
  const auto affine = loop::as_affine(address, nest.axes.size());
  if (!affine) return std::nullopt;
  StridedView view{base, affine->base, {}};
  size_t axis = 0;
  for (Expr e : g.type({id, 0}).shape)
    view.strides.push_back(e.is_constant(1) ? Expr(1) : affine->coefficients[axis++]);
  return view;
}

}  // namespace sinter::lower
