// SPDX-License-Identifier: Apache-2.0
#include "src/ops/view.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "src/loop/reader.h"
#include "src/ops/describe.h"
#include "src/ops/extents.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

loop::Value lower_scatter(const View& view, loop::Reader& reader, std::span<const Expr> index) {
  const Place at =
      view.place({reader.operand_type(0), reader.operand_type(1), reader.attributes()}, reader.builder(), index);
  if (at.inside.id < 0) return reader.read(1, at.index);
  return reader.read_masked(1, at.index, at.inside, reader.read(0, index));
}

std::vector<reference::Array> reference_scatter(const View& view, const graph::Node& node,
                                                std::span<const reference::Array> operands) {
  reference::Array result = operands[0];
  const ReferenceContext context{node, operands, operands[1].shape};
  reference::for_each_index(
      operands[1].shape, [&](const Dims& index) { result.set(view.reference(context, index), operands[1].at(index)); });
  return {std::move(result)};
}

/// Does the view hold every element of its operand once at most?
bool is_distinct(const View& view, const graph::SampleCall& call, const graph::ValueType& type) {
  graph::Node node;
  node.attributes = call.attributes;
  const reference::Array operand{call.operands[0].dtype, literal_extents(call.operands[0].shape), {}};
  const ReferenceContext context{node, {&operand, 1}, literal_extents(type.shape)};
  std::set<int64_t> seen;
  bool distinct = true;
  reference::for_each_index(context.result_shape, [&](const Dims& index) {
    distinct = distinct && seen.insert(operand.offset(view.reference(context, index))).second;
  });
  return distinct;
}

/// Those of the view that can be written through.
std::vector<graph::SampleCall> scatter_samples(const View& view, const graph::OpDef& op) {
  std::vector<graph::SampleCall> list;
  for (graph::SampleCall& call : view.samples()) {
    graph::InferContext context(op, call.operands, call.attributes, {});
    const graph::ValueType type = view.infer(context)[0];
    if (!is_distinct(view, call, type)) continue;
    call.operands.push_back(type);
    list.push_back(std::move(call));
  }
  return list;
}

graph::OpDef scatter_op(const View& view, std::string_view name) {
  graph::OpDef def;
  def.name = name;
  def.doc = "The operand with the elements of a view of it replaced: what writing through the view does.";
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.params = view.params;
  def.write_role = graph::WriteRole::scatter;
  def.infer = [view](graph::InferContext& context) { return infer_scatter(context, view.infer(context)[0]); };
  def.lower = [view](loop::Reader& reader, std::span<const Expr> index) { return lower_scatter(view, reader, index); };
  def.reference = [view](const graph::Node& node, std::span<const reference::Array> operands) {
    return reference_scatter(view, node, operands);
  };
  def.sample = sample_list([view] { return scatter_samples(view, view_op(view)); });
  return def;
}

}  // namespace

graph::OpDef view_op(const View& view) {
  graph::OpDef def;
  def.name = view.name;
  def.doc = view.doc;
  def.op_class = view.op_class;
  def.params = view.params;
  def.may_copy = view.may_copy;
  def.may_repeat = view.may_repeat;
  def.infer = view.infer;
  def.lower = [source = view.source](loop::Reader& reader, std::span<const Expr> index) {
    return reader.read(0, source({reader.operand_type(0), reader.result_type(), reader.attributes()}, index));
  };
  def.reference = [source = view.reference](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, [&](const ReferenceContext& context, const Dims& index) {
      return Source{0, source(context, index)};
    })};
  };
  def.sample = sample_list(view.samples);
  return def;
}

std::vector<graph::ValueType> infer_scatter(graph::InferContext& context, const graph::ValueType& wanted) {
  const graph::ValueType& value = context.operand(1);
  bool fits = value.dtype == wanted.dtype && value.shape.size() == wanted.shape.size();
  for (size_t d = 0; fits && d < wanted.shape.size(); ++d) fits = context.same_extent(value.shape[d], wanted.shape[d]);
  if (!fits) context.fail(fmt::format("expected {} for the view, got {}", describe(wanted), describe(value)));
  return {context.operand(0)};
}

void register_view(const View& view) {
  graph::OpDef def = view_op(view);
  if (view.place != nullptr) {
    const std::string name = fmt::format("{}_scatter", view.name);
    def.scatter = &graph::register_op(scatter_op(view, name));
  }
  graph::register_op(std::move(def));
}

size_t normalised_dim(int64_t dim, size_t rank) {
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

Expr divisor(Expr extent) { return simplify_extent(max(extent, 1)); }

}  // namespace sinter::ops
