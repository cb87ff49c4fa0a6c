// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "src/loop/body.h"

namespace sinter::loop {

/// A simpler value with the same bits (but for NaN payloads) as `op(operands)`, or nullopt: identities, choices between
/// equals, division by a power of two, rounding of what is rounded. Operands are not all constant.
std::optional<Value> simplify_scalar(Body& body, ScalarOp op, std::span<const Value> operands, DType attribute);

/// May the operands be exchanged?
bool is_commutative(ScalarOp op);

}  // namespace sinter::loop
