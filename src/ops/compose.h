// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/registry.h"
#include "src/ops/dispatch.h"

namespace sinter::ops {

/// Writes the ops of a decomposition into a graph, each with the source line of the call that they stand for.
class Composer {
 public:
  using Value = graph::Value;

  Composer(graph::Graph& graph, SourceLine line) : graph_(graph), line_(line) {}

  const graph::ValueType& type(Value v) const { return graph_.type(v); }
  Device device() const { return graph_.device; }

  Value call(const graph::OpDef& op, std::vector<Value> operands, graph::Attributes attributes = {});
  Value call(const graph::OpDef& op, std::vector<Value> operands, const graph::CallAttributes& attributes) {
    return call(op, std::move(operands), graph::literal_attributes(attributes));
  }

  template <OpName name>
  Value unary(Value a) {
    return call(op<name>(), {a});
  }
  template <OpName name>
  Value binary(Value a, Value b) {
    return call(op<name>(), {a, b}, graph::CallAttributes().flag(false).flag(false));
  }
  /// With a number of the user's, promoted or not, as right operand.
  template <OpName name>
  Value binary(Value a, const graph::Scalar& number) {
    return call(op<name>(), {a}, with_number(number));
  }
  template <OpName name>
  Value binary(const graph::Scalar& number, Value b) {
    graph::Attributes attributes = with_number(number);
    attributes.words = {1, 0};
    return call(op<name>(), {b}, std::move(attributes));
  }
  template <OpName name>
  Value binary(Value a, double number) {
    return binary<name>(a, literal(graph::Number::of(number)));
  }
  template <OpName name>
  Value fold(Value a, const Dims& dims, bool keepdim) {
    return call(op<name>(), {a}, graph::CallAttributes().integers(dims).flag(keepdim));
  }

  Value square(Value a);
  Value power(Value a, const graph::Scalar& exponent);
  Value where(Value condition, Value a, Value b);
  Value where(Value condition, graph::Number a, Value b);
  Value clamp_min(Value a, double bound);
  Value to(Value a, DType dtype);
  Value squeeze(Value a, const Dims& dims);
  Value reshape(Value a, std::span<const graph::Expr> shape);
  Value expand(Value a, std::span<const graph::Expr> shape);
  /// The product of extents as a 0-d tensor.
  Value count(std::span<const graph::Expr> extents, DType dtype);

  /// 0, 1, 2, ... below an extent.
  Value positions(graph::Expr extent, DType dtype);

  static graph::Scalar literal(graph::Number number) { return {number, -1, {}, false}; }

 private:
  static graph::Attributes with_number(const graph::Scalar& number);

  graph::Graph& graph_;
  SourceLine line_;
};

/// All dims of a rank from `first` on.
Dims dims_from(size_t first, size_t rank);
/// The dims' extents.
std::vector<graph::Expr> extents_of(const graph::ValueType& type, const Dims& dims);
/// Is some extent the literal 0?
bool is_empty(std::span<const graph::Expr> extents);

}  // namespace sinter::ops
