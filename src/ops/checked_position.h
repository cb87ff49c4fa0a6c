// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"
#include "src/ops/move_elements.h"

// Indices that are data: in [0, extent), where negative ones do not count from the end.

namespace sinter::ops {

/// The loaded index as a position below `extent`. Negative ones are no positions here: they are moved out of range, for
/// the check to find.
graph::Expr checked_position(loop::Builder& b, loop::Value index, graph::Expr extent);

/// The element at `at` of an operand of indices, or the error of the eager op.
int64_t checked_element(const ReferenceContext& context, size_t operand, const Dims& at, int64_t extent);

}  // namespace sinter::ops
