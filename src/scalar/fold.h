// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/scalar_ops.h"

namespace sinter::scalar {

/// What a reduction folds with.
enum class ReduceKind : uint8_t { sum, prod, amax, amin };

/// The scalar op that combines two elements.
ScalarOp fold_op(ReduceKind kind);
/// What an empty reduction gives: 0, 1, the lowest, the highest value.
Constant reduction_identity(ReduceKind kind, DType type);
/// What may stand for an absent element without changing a bit: -0.0 for floating sums, else the identity.
Constant reduction_padding(ReduceKind kind, DType type);

}  // namespace sinter::scalar
