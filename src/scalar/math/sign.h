// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <cstdint>
#include <limits>

namespace sinter::scalar::math::detail {

/// `magnitude`, which has no sign, with the sign of x.
template <class B, class V>
V with_sign_of(B& b, V magnitude, V x) {
  const V sign = b.bit_and(b.bitcast(x, i32), b.i32(std::numeric_limits<int32_t>::min()));
  return b.bitcast(b.bit_or(b.bitcast(magnitude, i32), sign), f32);
}

}  // namespace sinter::scalar::math::detail
