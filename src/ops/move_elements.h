// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>

#include <functional>
#include <span>

#include "src/graph/graph.h"
#include "src/reference/array.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::ops {

/// A node whose extents and numbers are all literals, with its operands' data.
struct ReferenceContext {
  const graph::Node& node;
  std::span<const reference::Array> operands;
  Dims result_shape;

  graph::AttributeReader attributes() const { return graph::AttributeReader(node.attributes); }
  const Dims& shape(size_t operand = 0) const { return operands[operand].shape; }
};

/// Where an element of a result comes from.
struct Source {
  int operand = 0;  ///< -1: `fill`
  Dims index = {};
  scalar::Constant fill = {};  ///< an element of the result
};

/// Extents as integers; throw CompileError for a symbol.
int64_t literal_extent(graph::Expr extent);
Dims literal_extents(const std::vector<graph::Expr>& extents);

/// The number as an element of dtype `storage`, converted as number attributes are.
scalar::Constant literal_number(const graph::Scalar& number, DType storage);

/// An element of dtype `from` as one of dtype `to`, as the op `to` converts it.
scalar::Constant convert_element(const scalar::Constant& value, DType from, DType to);

/// The result of `node` by copying, for each of its indices in turn, the element that `source` names. Elements are
/// converted to the result's dtype.
reference::Array move_elements(const graph::Node& node, std::span<const reference::Array> operands,
                               const std::function<Source(const ReferenceContext&, const Dims& index)>& source);

}  // namespace sinter::ops
