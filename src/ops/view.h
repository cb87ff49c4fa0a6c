// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/registry.h"
#include "src/ops/move_elements.h"

namespace sinter::ops {

using graph::Expr;

/// What a view's index map sees.
struct ViewContext {
  const graph::ValueType& operand;
  const graph::ValueType& result;
  graph::AttributeReader attributes;
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
};

graph::OpDef view_op(const View& view);

}  // namespace sinter::ops
