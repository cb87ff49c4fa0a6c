// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>
#include <sinter/pointwise.h>
#include <sinter/scatter.h>
#include <sinter/views.h>

#include "src/ops/describe.h"
#include "src/ops/element_position.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/row_writes.h"
#include "src/ops/samples.h"

namespace sinter {

Tensor index_copy(Operand x, int64_t dim, Operand index, Operand source) {
  return ops::dispatch(ops::op<"index_copy">(), {&x, &index, &source}, graph::CallAttributes().integer(dim));
}
Tensor index_add(Operand x, int64_t dim, Operand index, Operand source) {
  return ops::dispatch(ops::op<"index_add">(), {&x, &index, &source}, graph::CallAttributes().integer(dim));
}
Tensor index_fill(Operand x, int64_t dim, Operand index, Operand value) {
  const Tensor& self = ops::require_tensor(x, "index_fill");
  const Tensor& at = ops::require_tensor(index, "index_fill");
  const size_t d = ops::require_dim(x, dim, "index_fill");
  Dims shape = self.shape();
  shape[d] = at.shape().product();
  const Tensor one = value.is_tensor() ? to(ops::again(value), self.dtype())
                                       : full(Dims{}, ops::again(value), self.dtype(), self.device());
  Operand spread = ops::made(expand(ops::made(one, value.line()), shape), value.line());
  return ops::dispatch(ops::op<"index_copy">(), {&x, &index, &spread}, graph::CallAttributes().integer(dim));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

size_t dim_of_rows(const graph::Node& node) {
  const int64_t dim = graph::AttributeReader(node.attributes).integer();
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(node.results[0].shape.size()) : dim);
}

std::vector<graph::ValueType> infer_index_rows(graph::InferContext& context) {
  const graph::ValueType &x = context.operand(0), &index = context.operand(1), &source = context.operand(2);
  if (x.rank() == 0) context.fail("a 0-d tensor has no dim to index", "unsqueeze it first");
  if (index.dtype != i32 && index.dtype != i64)
    context.fail(fmt::format("expected an index of i32 or i64, got {}", describe(index)),
                 "cast it with to(index, i64)");
  if (index.rank() > 1)
    context.fail(fmt::format("expected an index of one dim, got {}", describe(index)), "flatten it first");
  if (source.dtype != x.dtype)
    context.fail(fmt::format("expected a source of {}, got {}", x.dtype.name(), describe(source)), "cast it with to()");
  const auto dim = static_cast<size_t>(context.dim(context.attributes().integer(), x.rank()));
  std::vector<Expr> wanted = x.shape;
  wanted[dim] = index.rank() == 1 ? index.shape[0] : Expr(1);
  bool fits = source.rank() == x.rank();
  for (size_t d = 0; fits && d < wanted.size(); ++d) fits = context.same_extent(source.shape[d], wanted[d]);
  if (!fits) context.fail(fmt::format("expected a source of {}, got {}", describe(wanted), describe(source)));
  if (x.shape[dim].is_constant(0) && !wanted[dim].is_constant(0))
    context.fail(fmt::format("dim {} of {} has no element to write to", dim, describe(x)));
  return {x};
}

std::vector<Value> decompose_index_rows(graph::Graph& g, const graph::Node& node) {
  Composer c(g, node.line);
  const bool add = node.op->name == "index_add";
  const size_t dim = dim_of_rows(node);
  const Expr extent[] = {node.results[0].shape[dim]}, count[] = {c.type(node.operands[2]).shape[dim]};
  const Value positions = element_positions(c, c.reshape(node.operands[1], count),
                                            add ? IndexedWrite::index_add : IndexedWrite::index_copy, false, 0, extent);
  const RowWrites w{to_front(c, node.operands[0], dim), positions, to_front(c, node.operands[2], dim)};
  return {from_front(c, add ? add_rows(c, w) : put_rows(c, w), dim)};
}

reference::Array index_rows_reference(const graph::Node& node, std::span<const reference::Array> operands) {
  const bool add = node.op->name == "index_add";
  const size_t dim = dim_of_rows(node);
  ElementWriter result(operands[0], add);
  for (int64_t i = 0; i < operands[1].size(); ++i)
    (void)checked_write(node, operands[1].at(i), result.shape()[dim], false);
  reference::for_each_index(operands[2].shape, [&](const Dims& at) {
    Dims to = at;
    to[dim] = scalar::as_int(operands[1].at(at[dim]));
    result.write(to, operands[2].at(at));
  });
  return result.result();
}

std::vector<graph::SampleCall> sample_index_rows() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& x, int64_t dim, DType index_dtype, const Dims& index) {
    Dims source = x;
    source[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(x.size()) : dim)] = index.product();
    list.push_back(sample_call({sample_type(t, x), sample_type(index_dtype, index), sample_type(t, source)},
                               graph::CallAttributes().integer(dim), 0, 2.9));
  };
  for (const DType t : all_dtypes) add(t, {3, 5}, 0, i64, {4});
  add(f32, {5, 7}, 1, i32, {16});
  add(f32, {17}, -1, i64, {300});
  add(i32, {2, 3, 4}, 1, i64, {7});
  add(f32, {3, 33}, 0, i64, {});
  add(f32, {3, 2}, 0, i64, {0});
  add(f32, {3, 0}, 0, i64, {2});
  return list;
}

void register_row_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 3;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = infer_index_rows;
  def.decompose = decompose_index_rows;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{index_rows_reference(node, operands)};
  };
  def.sample = sample_list(sample_index_rows);
  graph::register_op(std::move(def));
}

}  // namespace

void register_index_rows() {
  register_row_op("index_copy",
                  "x with slices of a dim replaced at an index; where indices are equal the last one stays.");
  register_row_op("index_add", "x with slices added to those of a dim at an index, in the order of the index.");
}

}  // namespace sinter::ops
