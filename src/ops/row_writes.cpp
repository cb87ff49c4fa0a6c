// SPDX-License-Identifier: Apache-2.0
#include "src/ops/row_writes.h"

#include "src/ops/accumulate.h"
#include "src/ops/extents.h"
#include "src/ops/fold_rows.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Number;
using graph::ReduceKind;
using graph::Value;

std::vector<Expr> rest_of(const graph::ValueType& t) { return {t.shape.begin() + 1, t.shape.end()}; }

/// [count] as [count, 1, ...] of that rank.
Value column(Composer& c, Value v, size_t rank) {
  std::vector<Expr> shape(rank, Expr(1));
  shape[0] = c.type(v).shape[0];
  return c.reshape(v, shape);
}

/// What accumulates in place of a dtype: its sums wrap to those of the dtype.
DType accumulated(DType t) {
  if (t.is_boolean()) return i32;
  return scalar::compute_type(t);
}

/// Positions of all elements of the rows, as [count, elements of a row].
Value element_places(Composer& c, Value positions, std::span<const Expr> rest) {
  const Expr width = element_count(rest);
  if (width.is_constant(1)) return column(c, positions, 2);
  const Value first = c.binary<"mul">(column(c, positions, 2), c.count(rest, i64));
  return c.binary<"add">(first, c.positions(width, i64));
}

/// Floating sums depend on the order: self first, then the sources as they stand. f16 and bf16 are added in f32.
Value add_in_order(Composer& c, const RowWrites& w) {
  const graph::ValueType self = c.type(w.self);
  const DType compute = scalar::compute_type(self.dtype);
  const Expr width = element_count(rest_of(self));
  const Expr rows[] = {self.shape[0], width}, source[] = {c.type(w.positions).shape[0], width};
  const Value sums =
      fold_rows(c, c.reshape(c.to(w.self, compute), rows), c.reshape(c.to(w.source, compute), source), w.positions);
  return c.to(c.reshape(sums, self.shape), self.dtype);
}

bool writes_nothing(Composer& c, const RowWrites& w) { return is_empty(c.type(w.source).shape); }

}  // namespace

Value put_rows(Composer& c, const RowWrites& w) {
  if (writes_nothing(c, w)) return copied(c, w.self);
  const graph::ValueType self = c.type(w.self);
  const Value order = c.positions(c.type(w.positions).shape[0], i64);
  const Value winner = accumulate(c, ReduceKind::amax, order, w.positions, self.shape[0]);
  const Value untouched = c.binary<"lt">(winner, Composer::literal(Number::of(0)));
  const Value picked = c.call(op<"index_select">(), {w.source, c.where(untouched, Number::of(0), winner)},
                              graph::CallAttributes().integer(0));
  return c.where(column(c, untouched, self.shape.size()), w.self, picked);
}

Value add_rows(Composer& c, const RowWrites& w) {
  if (writes_nothing(c, w)) return copied(c, w.self);
  const graph::ValueType self = c.type(w.self);
  const std::vector<Expr> rest = rest_of(self);
  if (self.dtype.is_floating()) return add_in_order(c, w);
  const bool is_boolean = self.dtype.is_boolean();
  const Expr flat[] = {c.type(w.source).shape[0], element_count(rest)};
  const Value values = c.reshape(c.to(w.source, accumulated(self.dtype)), flat);
  const Value sums = c.reshape(accumulate(c, is_boolean ? ReduceKind::amax : ReduceKind::sum, values,
                                          element_places(c, w.positions, rest), element_count(self.shape)),
                               self.shape);
  if (!is_boolean) return c.binary<"add">(w.self, c.to(sums, self.dtype));
  return c.binary<"logical_or">(w.self, c.binary<"gt">(sums, Composer::literal(Number::of(0))));
}

Value copied(Composer& c, Value v) { return c.call(op<"to">(), {v}, graph::CallAttributes().dtype(c.type(v).dtype)); }

Value to_front(Composer& c, Value v, size_t dim) {
  const size_t rank = c.type(v).shape.size();
  if (dim == 0) return v;
  Dims order{static_cast<int64_t>(dim)};
  for (size_t d = 0; d < rank; ++d)
    if (d != dim) order.push_back(static_cast<int64_t>(d));
  return c.call(op<"permute">(), {v}, graph::CallAttributes().integers(order));
}

Value from_front(Composer& c, Value v, size_t dim) {
  const size_t rank = c.type(v).shape.size();
  if (dim == 0) return v;
  Dims order;
  for (size_t d = 0; d < rank; ++d) order.push_back(d == dim ? 0 : static_cast<int64_t>(d < dim ? d + 1 : d));
  return c.call(op<"permute">(), {v}, graph::CallAttributes().integers(order));
}

ElementWriter::ElementWriter(const reference::Array& self, bool add) : result_(self), add_(add) {
  for (int64_t i = 0; i < self.size(); ++i) values_.push_back(self.at(i));
}

void ElementWriter::write(const Dims& at, const scalar::Constant& value) {
  scalar::Constant& element = values_[static_cast<size_t>(result_.offset(at))];
  const scalar::Constant both[] = {element, value};
  const scalar::ScalarOp sum = result_.dtype.is_boolean() ? scalar::ScalarOp::bit_or : scalar::ScalarOp::add;
  element = add_ ? scalar::evaluate(sum, both) : value;
}

reference::Array ElementWriter::result() const {
  reference::Array result = result_;
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, reference::rounded(values_[static_cast<size_t>(i)], result.dtype));
  return result;
}

}  // namespace sinter::ops
