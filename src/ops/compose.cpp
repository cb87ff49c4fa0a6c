// SPDX-License-Identifier: Apache-2.0
#include "src/ops/compose.h"

#include <algorithm>

#include "src/ops/extents.h"

namespace sinter::ops {

using graph::Attributes;
using graph::CallAttributes;
using graph::Expr;
using Value = graph::Value;

namespace {

graph::Scalar extent_scalar(Expr extent) { return {graph::Number::of(0), -1, extent, true}; }

}  // namespace

Value Composer::call(const graph::OpDef& op, std::vector<Value> operands, Attributes attributes) {
  return {graph_.add(op, std::move(operands), std::move(attributes), line_), 0};
}

Attributes Composer::with_number(const graph::Scalar& number) {
  Attributes attributes;
  attributes.words = {0, 1};  // which of the two arguments is a number
  attributes.scalars = {number};
  return attributes;
}

Value Composer::square(Value a) { return binary<"mul">(a, a); }

Value Composer::power(Value a, const graph::Scalar& exponent) {
  Attributes attributes = with_number(exponent);
  attributes.words.push_back(0);  // no special form
  return call(op<"pow">(), {a}, std::move(attributes));
}

Value Composer::where(Value condition, Value a, Value b) {
  return call(op<"where">(), {condition, a, b}, CallAttributes().flag(false).flag(false));
}

Value Composer::where(Value condition, graph::Number a, Value b) {
  return call(op<"where">(), {condition, b}, CallAttributes().flag(true).number(a).flag(false));
}

Value Composer::clamp_min(Value a, double bound) { return binary<"clamp_min">(a, bound); }

Value Composer::to(Value a, DType dtype) {
  return type(a).dtype == dtype ? a : call(op<"to">(), {a}, CallAttributes().dtype(dtype));
}

Value Composer::squeeze(Value a, const Dims& dims) {
  if (dims.empty()) return a;
  return call(op<"squeeze">(), {a}, CallAttributes().integers(dims));
}

Value Composer::reshape(Value a, std::span<const Expr> shape) {
  if (std::ranges::equal(type(a).shape, shape)) return a;
  Attributes attributes;
  attributes.words = {-1, static_cast<int64_t>(shape.size())};  // no extent is inferred
  for (Expr e : shape) attributes.scalars.push_back(extent_scalar(e));
  return call(op<"reshape">(), {a}, std::move(attributes));
}

Value Composer::expand(Value a, std::span<const Expr> shape) {
  if (std::ranges::equal(type(a).shape, shape)) return a;
  const auto rank = static_cast<int64_t>(shape.size());
  Attributes attributes;
  attributes.words.assign(shape.size() + 2, 0);  // no extent is kept
  attributes.words.front() = attributes.words.back() = rank;
  for (Expr e : shape) attributes.scalars.push_back(extent_scalar(e));
  return call(op<"expand">(), {a}, std::move(attributes));
}

Value Composer::count(std::span<const Expr> extents, DType dtype) {
  Attributes attributes;
  attributes.words = {graph::word_of(dtype)};
  attributes.scalars = {extent_scalar(element_count(extents))};
  return call(op<"from_extent">(), {}, std::move(attributes));
}

Value Composer::positions(Expr extent, DType dtype) {
  Attributes attributes;
  attributes.words = {graph::word_of(dtype), graph::word_of(graph_.device)};
  attributes.scalars = {literal(graph::Number::of(0)), literal(graph::Number::of(1)), extent_scalar(extent)};
  return call(op<"arange">(), {}, std::move(attributes));
}

Dims dims_from(size_t first, size_t rank) {
  Dims dims;
  for (size_t d = first; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  return dims;
}

std::vector<Expr> extents_of(const graph::ValueType& type, const Dims& dims) {
  std::vector<Expr> extents;
  for (int64_t d : dims) extents.push_back(type.shape[static_cast<size_t>(d)]);
  return extents;
}

bool is_empty(std::span<const Expr> extents) {
  return std::ranges::any_of(extents, [](Expr e) { return e.is_constant(0); });
}

}  // namespace sinter::ops
