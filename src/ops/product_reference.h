// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include "src/ops/reshaped_array.h"
#include "src/reference/array.h"

namespace sinter::ops {

/// The type that products are summed in: f32 or f64 for floats, i64 for integers.
DType accumulator_of(DType dtype);

/// a [batch..., i, k] by b [batch..., k, j] in the accumulator type, each product rounded, sums in the canonical order.
reference::Array accumulated_product(const reference::Array& a, const reference::Array& b);
/// Converted and rounded to a dtype.
reference::Array rounded_to(const reference::Array& array, DType dtype);
/// x + y with y broadcast to x, in x's dtype.
reference::Array sum_of(const reference::Array& x, const reference::Array& y);
/// The last two dims exchanged.
reference::Array transposed(const reference::Array& matrix);

}  // namespace sinter::ops
