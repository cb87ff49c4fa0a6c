// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/registry.h"

// What ops that compute on floating tensors alone demand of their operands.

namespace sinter::ops {

/// Fails unless the operand is of a floating dtype.
void require_floating(const graph::InferContext& context, size_t operand);

/// Fails unless there are as many operands as the attributes say.
void require_operands(const graph::InferContext& context, size_t count);

/// Fails unless the operand, called `name`, is a parameter of an op on x = operand 0: of the dtype of x or f32, and of
/// this shape.
void require_parameter(graph::InferContext& context, size_t operand, std::string_view name,
                       std::span<const graph::Expr> shape);

}  // namespace sinter::ops
