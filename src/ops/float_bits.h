// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::ops {

/// The integer type as wide as the compute type of a floating dtype.
DType bits_type(DType floating);

// NaN counts as positive here: the sign of a computed NaN depends on the machine and on the order of operands, and must
// show in no result.

/// Is the sign bit of an f32 or f64 set?
loop::Value sign_bit(loop::Builder& b, loop::Value x);

/// The magnitude of one f32 or f64 with the sign bit of another.
loop::Value with_sign_of(loop::Builder& b, loop::Value magnitude, loop::Value x);

/// The next value of a floating dtype from x towards y; values are of its compute type.
loop::Value next_after(loop::Builder& b, loop::Value x, loop::Value y, DType dtype);

}  // namespace sinter::ops
