// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

namespace sinter::scalar::math::detail {

// 1/d for a positive normal d without division: magic - bits(d) negates the exponent and is linear in the mantissa,
// 5.1 % off at most. The magic number is the best one for newton_first, to within what zero_at asks for.
inline constexpr int32_t reciprocal_magic = 0x7ef33400;

/// y0 = reciprocal_magic - bits(d). With another magic number near it, y0 is exactly 0 for the d whose bits it has.
template <class B, class V>
V reciprocal_start(B& b, V d, int32_t magic = reciprocal_magic) {
  return b.bitcast(b.sub(b.i32(magic), b.bitcast(d, i32)), f32);
}

/// The first Newton step, its constant chosen for the error of the start: 5.1e-2 -> 1.3e-3.
template <class B, class V>
V newton_first(B& b, V d, V y) {
  return b.mul(y, b.fma(b.neg(d), y, b.f32(2.00128f)));
}

/// The second Newton step after newton_first, its constant chosen likewise: 1.3e-3 -> 8.4e-7.
template <class B, class V>
V newton_second(B& b, V d, V y) {
  return b.mul(y, b.fma(b.neg(d), y, b.f32(2.0000008f)));
}

/// Newton step: error e -> e^2.
template <class B, class V>
V newton(B& b, V d, V y) {
  return b.fma(y, b.fma(b.neg(d), y, b.f32(1.0f)), y);
}

/// Third-order step: error e -> e^3.
template <class B, class V>
V halley(B& b, V d, V y) {
  const V e = b.fma(b.neg(d), y, b.f32(1.0f));
  return b.fma(y, b.fma(e, e, e), y);
}

/// 1/d within 9.5e-7; 5 instructions.
template <class B, class V>
V reciprocal(B& b, V d) {
  return newton_second(b, d, newton_first(b, d, reciprocal_start(b, d)));
}

}  // namespace sinter::scalar::math::detail
