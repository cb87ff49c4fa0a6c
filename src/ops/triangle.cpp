// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter {

Tensor tril(Operand x, int64_t diagonal) {
  return ops::dispatch(ops::op<"tril">(), {&x}, graph::CallAttributes().extent(ops::bounded_offset(diagonal)));
}
Tensor triu(Operand x, int64_t diagonal) {
  return ops::dispatch(ops::op<"triu">(), {&x}, graph::CallAttributes().extent(ops::bounded_offset(diagonal)));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_triangle(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  if (x.rank() < 2)
    context.fail(fmt::format("expected matrices, got {}", describe(x)), "give a tensor of two dims or more");
  return {x};
}

/// Elements outside of the triangle are read and not used: a mask would keep a fold from being read here.
loop::Value lower_triangle(loop::Reader& reader, std::span<const Expr> index, bool lower) {
  loop::Builder& b = reader.builder();
  const std::vector<Expr>& shape = reader.result_type().shape;
  const size_t rank = shape.size();
  const Expr diagonal = reader.attributes().extent();
  // column - row <= diagonal, with terms on the sides that keep both sides positive
  const bool above = diagonal.constant().value_or(0) >= 0;
  const Expr column = index[rank - 1] - (above ? Expr(0) : diagonal);
  const Expr row = index[rank - 2] + (above ? diagonal : Expr(0));
  const DType t = index_type(shape[rank - 1] + shape[rank - 2] + (above ? diagonal : Expr(0) - diagonal));
  const loop::Value c = b.body().index_value(column, t), r = b.body().index_value(row, t);
  const loop::Value zero = b.constant(scalar::compute_type(reader.result_type().dtype), 0);
  return b.select(lower ? b.le(c, r) : b.le(r, c), reader.read(0, index), zero);
}

Source source_of_triangle(const ReferenceContext& context, const Dims& index, bool lower) {
  const int64_t diagonal = literal_extent(context.attributes().extent());
  const int64_t above = index[index.size() - 1] - index[index.size() - 2] - diagonal;
  if (lower ? above <= 0 : above >= 0) return {0, index};
  return {-1, {}, scalar::constant_int(scalar::compute_type(context.node.results[0].dtype), 0)};
}

std::vector<graph::SampleCall> sample_triangle() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t diagonal) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().extent(diagonal)));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, 0);
  add(f32, {5, 7}, 2);
  add(f32, {5, 7}, -3);
  add(f32, {7, 5}, 100);
  add(f32, {7, 5}, -100);
  add(f32, {3, 16, 17}, 1);
  add(f32, {0, 3}, 0);
  add(f32, {2, 3, 0}, 1);
  add(f32, {1, 1}, -1);
  add(f32, {33, 31}, 3);
  return list;
}

void register_one(std::string_view name, std::string_view doc, bool lower) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.params = {{"diagonal", graph::ParamKind::extent}};
  def.infer = infer_triangle;
  def.lower = [lower](loop::Reader& reader, std::span<const Expr> index) {
    return lower_triangle(reader, index, lower);
  };
  def.reference = [lower](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, [lower](const ReferenceContext& context, const Dims& index) {
      return source_of_triangle(context, index, lower);
    })};
  };
  def.sample = sample_list(sample_triangle);
  graph::register_op(std::move(def));
}

}  // namespace

void register_triangle() {
  register_one("tril", "Matrices with zeros above a diagonal.", true);
  register_one("triu", "Matrices with zeros below a diagonal.", false);
}

}  // namespace sinter::ops
