// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

namespace sinter::scalar::math::detail {

inline constexpr float least_normal = 0x1p-126f;

/// Whether x is anything but a positive normal number: negative, zero, denormal, infinite or NaN. Two instructions.
template <class B, class V>
V not_positive_normal(B& b, V x) {
  return b.ge(b.sub(b.bitcast(x, u32), b.u32(0x00800000)), b.u32(0x7f000000));
}

}  // namespace sinter::scalar::math::detail
