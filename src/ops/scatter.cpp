// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>
#include <sinter/scatter.h>
#include <sinter/views.h>

#include "src/ops/describe.h"
#include "src/ops/element_position.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/row_writes.h"
#include "src/ops/samples.h"

namespace sinter {

Tensor scatter(Operand x, int64_t dim, Operand index, Operand src) {
  if (src.is_tensor())
    return ops::dispatch(ops::op<"scatter">(), {&x, &index, &src}, graph::CallAttributes().integer(dim));
  const Tensor& self = ops::require_tensor(x, "scatter");
  const Tensor value = full(Dims{}, ops::again(src), self.dtype(), self.device());
  Operand spread =
      ops::made(expand(ops::made(value, src.line()), ops::require_tensor(index, "scatter").shape()), src.line());
  return ops::dispatch(ops::op<"scatter">(), {&x, &index, &spread}, graph::CallAttributes().integer(dim));
}
Tensor scatter_add(Operand x, int64_t dim, Operand index, Operand src) {
  return ops::dispatch(ops::op<"scatter_add">(), {&x, &index, &src}, graph::CallAttributes().integer(dim));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

void check_inside(graph::InferContext& context, const graph::ValueType& outer, std::string_view what, int free_dim) {
  const graph::ValueType& index = context.operand(1);
  for (size_t d = 0; d < index.shape.size(); ++d) {
    if (static_cast<int>(d) == free_dim) continue;
    const Expr extent = outer.shape[d], wanted = index.shape[d];
    if (!context.same_extent(simplify_extent(min(wanted, extent)), wanted))
      context.fail(
          fmt::format("dim {} of the index {} is larger than that of {} {}", d, describe(index), what, describe(outer)),
          fmt::format("narrow the index to {} there", extent.text()));
  }
}

/// A 0-d tensor counts as one of shape [1].
std::vector<graph::ValueType> infer_scatter(graph::InferContext& context) {
  const graph::ValueType &x = context.operand(0), &index = context.operand(1), &src = context.operand(2);
  if (index.dtype != i32 && index.dtype != i64)
    context.fail(fmt::format("expected an index of i32 or i64, got {}", describe(index)),
                 "cast it with to(index, i64)");
  if (src.dtype != x.dtype)
    context.fail(fmt::format("expected a source of {}, got {}", x.dtype.name(), describe(src)), "cast it with to()");
  const int dim = context.dim(context.attributes().integer(), x.rank());
  if (x.rank() != index.rank() || x.rank() != src.rank())
    context.fail(fmt::format("{}, an index {} and a source {} have different ranks", describe(x), describe(index),
                             describe(src)));
  check_inside(context, src, "the source", -1);
  check_inside(context, x, "the tensor", dim);
  if (x.rank() > 0 && x.shape[static_cast<size_t>(dim)].is_constant(0) && !is_empty(index.shape))
    context.fail(fmt::format("dim {} of {} has no element to write to", dim, describe(x)));
  return {x};
}

/// The first elements of the source: those that the index has.
Value narrowed(Composer& c, Value src, std::span<const Expr> shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (c.type(src).shape[d] == shape[d]) continue;
    graph::Attributes attributes =
        graph::literal_attributes(graph::CallAttributes().integer(static_cast<int64_t>(d)).extent(0).extent(0));
    attributes.scalars[1].expr = shape[d];
    src = c.call(op<"narrow">(), {src}, std::move(attributes));
  }
  return src;
}

std::vector<Value> decompose_scatter(graph::Graph& g, const graph::Node& node) {
  Composer c(g, node.line);
  const bool add = node.op->name == "scatter_add";
  const std::vector<Expr> result = node.results[0].shape, one{Expr(1)};
  const std::vector<Expr>& self = result.empty() ? one : result;
  const Value index = result.empty() ? c.reshape(node.operands[1], one) : node.operands[1];
  const std::vector<Expr> written = c.type(index).shape;
  const Value src = result.empty() ? c.reshape(node.operands[2], one) : narrowed(c, node.operands[2], written);
  if (is_empty(written)) return {copied(c, node.operands[0])};
  const int64_t dim = graph::AttributeReader(node.attributes).integer();
  const size_t d = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(self.size()) : dim);
  const Expr all[] = {element_count(self)}, count[] = {element_count(written)};
  const Value positions =
      element_positions(c, index, add ? IndexedWrite::scatter_add : IndexedWrite::scatter, false, d, self);
  const RowWrites w{c.reshape(node.operands[0], all), c.reshape(positions, count), c.reshape(src, count)};
  return {c.reshape(add ? add_rows(c, w) : put_rows(c, w), result)};
}

reference::Array scatter_reference(const graph::Node& node, std::span<const reference::Array> operands) {
  const bool add = node.op->name == "scatter_add";
  const int64_t dim = graph::AttributeReader(node.attributes).integer();
  ElementWriter result(operands[0], add);
  const size_t rank = result.shape().size(), d = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
  reference::for_each_index(operands[1].shape, [&](const Dims& at) {
    Dims to = at;
    const int64_t i = checked_write(node, operands[1].at(at), rank > 0 ? result.shape()[d] : 1, false);
    if (rank > 0) to[d] = i;
    result.write(to, operands[2].at(at));
  });
  return result.result();
}

std::vector<graph::SampleCall> sample_scatter() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& x, int64_t dim, DType index_dtype, const Dims& index, const Dims& src) {
    list.push_back(sample_call({sample_type(t, x), sample_type(index_dtype, index), sample_type(t, src)},
                               graph::CallAttributes().integer(dim), 0, 2.9));
  };
  for (const DType t : all_dtypes) add(t, {3, 5}, 0, i64, {4, 5}, {4, 5});
  add(f32, {5, 7}, 1, i32, {4, 16}, {5, 17});
  add(f32, {17}, -1, i64, {300}, {300});
  add(i32, {2, 3, 4}, 1, i64, {1, 7, 4}, {2, 7, 4});
  add(f32, {3}, 0, i64, {0}, {2});
  add(f32, {0, 3}, 1, i64, {0, 2}, {0, 2});
  return list;
}

void register_scatter_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 3;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = infer_scatter;
  def.decompose = decompose_scatter;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{scatter_reference(node, operands)};
  };
  def.sample = sample_list(sample_scatter);
  graph::register_op(std::move(def));
}

}  // namespace

void register_scatter() {
  register_scatter_op("scatter",
                      "x with elements replaced at an index in one dim; where places are equal the last one stays.");
  register_scatter_op("scatter_add",
                      "x with the source's elements added at an index in one dim, in the source's order.");
}

}  // namespace sinter::ops
