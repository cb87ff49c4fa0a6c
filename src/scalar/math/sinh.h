// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp.h"
#include "src/scalar/math/high_low.h"
#include "src/scalar/math/sign.h"

// a = n ln 2 + r: sinh(a) = A cosh(r) + C sinh(r) and cosh(a) = C cosh(r) + A sinh(r) with A, C = (2^n -+ 2^-n) / 2,
// which nothing cancels in. Both are computed halved, so that the last product overflows where the result does.

namespace sinter::scalar::math {

namespace detail {

template <class V>
struct ReducedSinh {
  HighLow<V> a;  ///< (2^n - 2^-n) / 4
  HighLow<V> c;  ///< (2^n + 2^-n) / 4
  V r;
  V r_low;
};

template <class B, class V>
ReducedSinh<V> reduce_sinh(B& b, V x) {
  const V limited = b.min(b.abs(x), b.f32(89.6f));
  const V t = b.fma(limited, b.f32(log2_e), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  const V r0 = b.fma(n, b.f32(-ln2_high), limited);
  const V r = b.fma(n, b.f32(-ln2_low), r0);
  const V r_low = b.fma(n, b.f32(-ln2_low), b.sub(r0, r));
  const V up = power_of_two(b, t, -2);
  // 2^(-n - 2), or 0 where that is no normal number
  const V down_exponent = b.max(b.sub(b.i32(0x4b400000 + 125), b.bitcast(t, i32)), b.i32(0));
  const V down = b.bitcast(b.shl(down_exponent, b.i32(23)), f32);
  return {exact_sum(b, up, b.neg(down)), exact_sum(b, up, down), r, r_low};
}

/// first + second * (r + r_low) + r^2 (first p + second r q), where cosh(r) = 1 + r^2 p, sinh(r) = r + r^3 q.
template <class B, class V>
V sinh_sum(B& b, const HighLow<V>& first, V second, const ReducedSinh<V>& s) {
  const V z = b.mul(s.r, s.r);
  const V p = polynomial(b, z, {0.5f, 0.04166646f, 0.0013935438f});
  const V q = polynomial(b, z, {0.16666666f, 0.008333577f, 0.00019734049f});
  const V rest = b.fma(first.high, p, b.mul(b.mul(second, s.r), q));
  const V high = b.fma(second, s.r, first.high);
  const V low = b.fma(second, s.r, b.sub(first.high, high));
  return b.add(high, b.fma(rest, z, b.fma(second, s.r_low, b.add(low, first.low))));
}

/// The same for results of 16 bits.
template <class B, class V>
V sinh_sum_half(B& b, V first, V second, V r) {
  const V z = b.mul(r, r);
  const V cosh = polynomial(b, z, {1.0f, 0.4999913f, 0.041900042f});
  const V sinh = b.mul(r, polynomial(b, z, {1.0f, 0.16666543f, 0.008366553f}));
  return b.fma(first, cosh, b.mul(second, sinh));
}

}  // namespace detail

/// sinh(x), f32. Measured: at most 0.95 ulp; 34 instructions.
template <class B, class V>
V sinh_f32(B& b, V x) {
  using namespace detail;
  const ReducedSinh<V> s = reduce_sinh(b, x);
  const V magnitude = b.mul(sinh_sum(b, s.a, s.c.high, s), b.f32(2.0f));
  // Halves of denormals lose a bit.
  return b.select(b.lt(b.abs(x), b.f32(0x1p-13f)), x, with_sign_of(b, magnitude, x));
}

/// sinh(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.001 ulp; 21 instructions.
///   bf16: Measured: at most 0.001 ulp; 21 instructions.
template <class B, class V>
V sinh_half(B& b, V x, DType) {
  using namespace detail;
  const ReducedSinh<V> s = reduce_sinh(b, x);
  return with_sign_of(b, b.mul(sinh_sum_half(b, s.a.high, s.c.high, s.r), b.f32(2.0f)), x);
}

/// cosh(x), f32. Measured: at most 0.75 ulp; 31 instructions.
template <class B, class V>
V cosh_f32(B& b, V x) {
  using namespace detail;
  const ReducedSinh<V> s = reduce_sinh(b, x);
  return b.mul(sinh_sum(b, s.c, s.a.high, s), b.f32(2.0f));
}

/// cosh(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.001 ulp; 20 instructions.
///   bf16: Measured: at most 0.001 ulp; 20 instructions.
template <class B, class V>
V cosh_half(B& b, V x, DType) {
  using namespace detail;
  const ReducedSinh<V> s = reduce_sinh(b, x);
  return b.mul(sinh_sum_half(b, s.c.high, s.a.high, s.r), b.f32(2.0f));
}

}  // namespace sinter::scalar::math
