// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>
#include <sinter/scatter.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/describe.h"
#include "src/ops/element_position.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/row_writes.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// NumPy's shape of all of them.
Dims broadcast_shape(const std::vector<Tensor>& tensors, SourceLine line) {
  Dims all;
  for (const Tensor& t : tensors) {
    Dims wider;
    const size_t rank = std::max(all.size(), t.shape().size());
    for (size_t d = 0; d < rank; ++d) {
      const auto of = [&](const Dims& s) { return d + s.size() < rank ? 1 : s[d + s.size() - rank]; };
      const int64_t a = of(all), b = of(t.shape());
      if (a != b && a != 1 && b != 1)
        refuse("index_put", line, fmt::format("indices of {} and {} do not broadcast", all.text(), t.shape().text()),
               "give all of them one shape");
      wider.push_back(a == 1 ? b : a);
    }
    all = wider;
  }
  return all;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor index_put(Operand x, std::vector<Tensor> indices, Operand values, IndexPutOptions options) {
  const Tensor self = ops::require_tensor(x, "index_put");
  if (indices.empty() || indices.size() > static_cast<size_t>(self.rank()))
    ops::refuse("index_put", x.line(), fmt::format("{} indices for a tensor of rank {}", indices.size(), self.rank()),
                "give one for each of the first dims, and at least one");
  Dims shape = ops::broadcast_shape(indices, x.line());
  std::vector<Tensor> operands{self};
  for (size_t d = indices.size(); d < static_cast<size_t>(self.rank()); ++d) shape.push_back(self.shape()[d]);
  const Tensor given =
      values.is_tensor() ? values.tensor() : full(Dims{}, ops::again(values), self.dtype(), self.device());
  const auto expanded = [line = x.line()](const Tensor& t, const Dims& to) {
    return t.shape() == to ? t : expand(ops::made(t, line), to);
  };
  operands.push_back(expanded(given, shape));
  const Dims of_index(shape.span().first(shape.size() - (static_cast<size_t>(self.rank()) - indices.size())));
  for (Tensor& t : indices) operands.push_back(t.shape() == of_index ? std::move(t) : expanded(t, of_index));
  return ops::dispatch_list(ops::op<"index_put">(), std::move(operands),
                            graph::CallAttributes().flag(options.accumulate), x.line());
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

std::vector<graph::ValueType> infer_index_put(graph::InferContext& context) {
  const graph::ValueType &x = context.operand(0), &values = context.operand(1), &first = context.operand(2);
  const size_t count = context.operand_count() - 2;
  if (values.dtype != x.dtype)
    context.fail(fmt::format("expected values of {}, got {}", x.dtype.name(), describe(values)), "cast them with to()");
  if (count > x.shape.size()) context.fail(fmt::format("{} indices for {}", count, describe(x)));
  std::vector<Expr> wanted = first.shape;
  wanted.insert(wanted.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(count), x.shape.end());
  const auto fits = [&](std::span<const Expr> a, std::span<const Expr> b) {
    bool same = a.size() == b.size();
    for (size_t d = 0; same && d < a.size(); ++d) same = context.same_extent(a[d], b[d]);
    return same;
  };
  for (size_t i = 2; i < context.operand_count(); ++i) {
    const graph::ValueType& index = context.operand(i);
    if (index.dtype != i32 && index.dtype != i64)
      context.fail(fmt::format("expected indices of i32 or i64, got {}", describe(index)),
                   "cast them with to(index, i64)");
    if (!fits(index.shape, first.shape))
      context.fail(fmt::format("indices {} and {} have different shapes", describe(first), describe(index)));
    if (x.shape[i - 2].is_constant(0) && !is_empty(first.shape))
      context.fail(fmt::format("dim {} of {} has no element to write to", i - 2, describe(x)));
  }
  if (!fits(values.shape, wanted))
    context.fail(fmt::format("expected values of {}, got {}", describe(wanted), describe(values)));
  return {x};
}

std::vector<Value> decompose_index_put(graph::Graph& g, const graph::Node& node) {
  Composer c(g, node.line);
  const std::vector<Expr>& shape = node.results[0].shape;
  const size_t indices = node.operands.size() - 2;
  const std::span<const Expr> rest = std::span(shape).subspan(indices);
  const Expr count[] = {element_count(c.type(node.operands[2]).shape)};
  if (count[0].is_constant(0)) return {copied(c, node.operands[0])};
  Value positions;
  for (size_t d = 0; d < indices; ++d) {
    const Value place =
        element_positions(c, c.reshape(node.operands[2 + d], count), IndexedWrite::index_put, true, 0, {&shape[d], 1});
    positions = d == 0 ? place : c.binary<"add">(c.binary<"mul">(positions, c.count({&shape[d], 1}, i64)), place);
  }
  std::vector<Expr> rows{element_count(std::span(shape).first(indices))}, source{count[0]};
  rows.insert(rows.end(), rest.begin(), rest.end());
  source.insert(source.end(), rest.begin(), rest.end());
  const RowWrites w{c.reshape(node.operands[0], rows), positions, c.reshape(node.operands[1], source)};
  const bool add = graph::AttributeReader(node.attributes).flag();
  return {c.reshape(add ? add_rows(c, w) : put_rows(c, w), shape)};
}

reference::Array index_put_reference(const graph::Node& node, std::span<const reference::Array> operands) {
  const bool add = graph::AttributeReader(node.attributes).flag();
  ElementWriter result(operands[0], add);
  const size_t rank = operands[2].shape.size();
  reference::for_each_index(operands[1].shape, [&](const Dims& at) {
    const Dims of_index(at.span().first(rank));
    Dims to;
    for (size_t i = 2; i < operands.size(); ++i)
      to.push_back(checked_write(node, operands[i].at(of_index), result.shape()[i - 2], true));
    for (size_t d = rank; d < at.size(); ++d) to.push_back(at[d]);
    result.write(to, operands[1].at(at));
  });
  return result.result();
}

std::vector<graph::SampleCall> sample_index_put() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& x, DType index_dtype, const Dims& index, size_t count, bool accumulate) {
    Dims values = index;
    for (size_t d = count; d < x.size(); ++d) values.push_back(x[d]);
    std::vector<graph::ValueType> types{sample_type(t, x), sample_type(t, values)};
    for (size_t i = 0; i < count; ++i) types.push_back(sample_type(index_dtype, index));
    const double low = t.is_integer() && t.is_signed() ? -2.9 : 0;  // from either end
    list.push_back(sample_call(std::move(types), graph::CallAttributes().flag(accumulate), low, 2.9));
  };
  for (const DType t : all_dtypes) add(t, {3, 5}, i64, {4}, 1, false);
  for (const DType t : all_dtypes) add(t, {3, 5}, i64, {4}, 1, true);
  add(i32, {4, 5}, i64, {17}, 2, true);
  add(i32, {4, 5, 7}, i32, {2, 3}, 2, false);
  add(i64, {17}, i64, {300}, 1, true);
  add(f32, {5, 3}, i64, {}, 1, false);
  add(f32, {3, 2}, i64, {0}, 1, false);
  return list;
}

}  // namespace

void register_index_put() {
  graph::OpDef def;
  def.name = "index_put";
  def.doc = "x with values written, or added, at indices of its first dims; operands: x, values, the indices.";
  def.op_class = graph::OpClass::indexed;
  def.min_operands = 3;
  def.max_operands = -1;
  def.params = {{"accumulate", graph::ParamKind::flag}};
  def.infer = infer_index_put;
  def.decompose = decompose_index_put;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{index_put_reference(node, operands)};
  };
  def.sample = sample_list(sample_index_put);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
