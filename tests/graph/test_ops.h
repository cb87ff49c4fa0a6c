// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/registry.h"

namespace sinter::graph {

/// Ops that exist for these tests alone: one parameter of every kind, several results, subgraphs, no operand.
struct TestOps {
  const OpDef& everything;  ///< one operand; all ten kinds of parameters
  const OpDef& add;         ///< broadcasts
  const OpDef& split;       ///< one operand, two results
  const OpDef& fill;        ///< no operand: extents, dtype
};
const TestOps& test_ops();

Attributes everything_attributes(Expr extent, Scalar number, bool has_optional);

}  // namespace sinter::graph
