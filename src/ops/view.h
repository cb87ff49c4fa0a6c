// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/registry.h"
#include "src/loop/builder.h"
#include "src/ops/move_elements.h"

namespace sinter::ops {

using graph::Expr;

/// What a view's index map sees.
struct ViewContext {
  const graph::ValueType& operand;
  const graph::ValueType& result;
  graph::AttributeReader attributes;
};

/// Where in a view an element of its operand stands: anywhere unless `inside` (if there is one) holds.
struct Place {
  std::vector<Expr> index = {};
  loop::Value inside = {};

  void require(loop::Builder& b, loop::Value condition) {
    inside = inside.id < 0 ? condition : b.bit_and(inside, condition);
  }
};

/// Everything that distinguishes one view op from another; view_op() makes the definition.
struct View {
  std::string_view name;
  std::string_view doc;
  std::vector<graph::Param> params;
  std::vector<graph::ValueType> (*infer)(graph::InferContext&);
  /// Where the element at `index` of the result stands in the operand.
  std::vector<Expr> (*source)(ViewContext, std::span<const Expr> index);
  /// The same on plain integers, written independently of `source`.
  Dims (*reference)(const ReferenceContext&, const Dims& index);
  std::vector<graph::SampleCall> (*samples)();
  /// indexed for what is a copy in PyTorch: its result never shares its operand's memory, and a costly operand is not
  /// computed again for each of its readers.
  graph::OpClass op_class = graph::OpClass::view;
  /// The way back from an element of the operand, for views that can be written through.
  Place (*place)(ViewContext, loop::Builder&, std::span<const Expr> index) = nullptr;
  bool may_copy = false, may_repeat = false;  ///< OpDef
};

graph::OpDef view_op(const View& view);

/// The type of a scatter of a value into a view of type `wanted`; fails if the value has another.
std::vector<graph::ValueType> infer_scatter(graph::InferContext& context, const graph::ValueType& wanted);

/// Registers the op, and with a way back also <name>_scatter: the operand with the view's elements replaced.
void register_view(const View& view);

/// A dim that the type rule accepted, counted from the start.
size_t normalised_dim(int64_t dim, size_t rank);

/// The extent as a divisor: an extent that may turn out to be 0 at run time divides no index, but must not divide by 0
/// where the division is moved out of the loops.
Expr divisor(Expr extent);

}  // namespace sinter::ops
