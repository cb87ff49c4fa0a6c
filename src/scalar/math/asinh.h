// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/log1p.h"
#include "src/scalar/math/reciprocal.h"
#include "src/scalar/math/square_root.h"

// The inverse hyperbolic functions as logarithms, with odd polynomials near 0, where those cancel.

namespace sinter::scalar::math {

namespace detail {

inline constexpr float infinity_f32 = std::numeric_limits<float>::infinity();
inline constexpr float nan_f32 = std::numeric_limits<float>::quiet_NaN();

/// log(2 a) for large finite a, else a: what asinh and acosh are for arguments from 2^60 on.
template <class B, class V>
V log_of_twice(B& b, V a) {
  return b.select(b.lt(a, b.f32(infinity_f32)), log_normal(b, a, -1), a);
}

/// sqrt(a^2 + 1), a < 2^60.
template <class B, class V>
HighLow<V> hypotenuse(B& b, V a) {
  const V square = b.fma(a, a, b.f32(1.0f));
  return sqrt_extended(b, HighLow<V>{square, b.fma(a, a, b.sub(b.f32(1.0f), square))});
}

/// x + s with x.low above and s below x.high.
template <class B, class V>
HighLow<V> add_to(B& b, const HighLow<V>& x, V s) {
  const HighLow<V> sum = exact_sum(b, x.high, s);
  return {sum.high, b.add(sum.low, x.low)};
}

/// x + x z p(z), z = x^2, |x| <= 1/2.
template <class B, class V>
V odd_near(B& b, V x, std::initializer_list<float> p) {
  const V z = b.mul(x, x);
  return b.fma(b.mul(x, z), polynomial(b, z, p), x);
}

/// n / d for n up to 2 and d in [2^-126, 1], as high + low within 2^-40.
template <class B, class V>
HighLow<V> quotient_extended(B& b, const HighLow<V>& n, V d) {
  const V y = reciprocal(b, d);
  const V q = b.mul(n.high, y);
  return exact_sum(b, q, b.mul(b.add(b.fma(b.neg(q), d, n.high), n.low), y));
}

/// log(u) for results of 16 bits, u positive and normal.
template <class B, class V>
V log_half_of(B& b, V u) {
  return log_half_normal(b, u, f16, 0);
}

/// `result` for a < 1, infinity for 1, NaN above.
template <class B, class V>
V with_pole_at_one(B& b, V a, V result) {
  const V outside = b.select(b.eq(a, b.f32(1.0f)), b.f32(infinity_f32), b.f32(nan_f32));
  return b.select(b.lt(a, b.f32(1.0f)), result, outside);
}

}  // namespace detail

/// asinh(x) = log(x + sqrt(x^2 + 1)), f32. Measured: at most 0.78 ulp; 58 instructions.
template <class B, class V>
V asinh_f32(B& b, V x) {
  using namespace detail;
  const V a = b.abs(x);
  const V near = odd_near(b, a, {-0.16666679f, 0.075006545f, -0.044751815f, 0.03111226f, -0.023949254f, 0.0145091405f});
  const V far = log_extended(b, add_to(b, hypotenuse(b, a), a));
  const V magnitude = b.rare(b.bit_not(b.lt(a, b.f32(0x1p60f))), b.select(b.lt(a, b.f32(0.5f)), near, far),
                             [&] { return log_of_twice(b, a); });
  return with_sign_of(b, magnitude, x);
}

/// asinh(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.041 ulp; 37 instructions.
///   bf16: Measured: at most 0.006 ulp; 37 instructions.
template <class B, class V>
V asinh_half(B& b, V x, DType) {
  using namespace detail;
  const V a = b.abs(x);
  const V near = odd_near(b, a, {-0.1666058f, 0.073454835f, -0.03305747f});
  const V far = log_half_of(b, b.add(hypotenuse(b, a).high, a));
  const V magnitude = b.rare(b.bit_not(b.lt(a, b.f32(0x1p60f))), b.select(b.lt(a, b.f32(0.5f)), near, far),
                             [&] { return log_of_twice(b, a); });
  return with_sign_of(b, magnitude, x);
}

/// acosh(x) = log(x + sqrt(x^2 - 1)), f32; NaN for x < 1. Measured: at most 0.9 ulp; 54 instructions.
/// log(1 + t + sqrt(t^2 + 2 t)) with t = x - 1, which is exact where it is small.
template <class B, class V>
V acosh_f32(B& b, V x) {
  using namespace detail;
  const V t = b.sub(x, b.f32(1.0f)), two_t = b.add(t, t);
  const V square = b.fma(t, t, two_t);
  const HighLow<V> s = sqrt_extended(b, HighLow<V>{square, b.fma(t, t, b.sub(two_t, square))});
  const HighLow<V> l = log1p_extended(b, add_to(b, s, t));
  const V outside = b.bit_not(b.bit_and(b.ge(x, b.f32(1.0f)), b.lt(x, b.f32(0x1p60f))));
  return b.rare(outside, b.add(l.high, l.low),
                [&] { return b.select(b.lt(x, b.f32(1.0f)), b.f32(nan_f32), log_of_twice(b, x)); });
}

/// acosh(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.082 ulp; 32 instructions.
///   bf16: Measured: at most 0.011 ulp; 32 instructions.
template <class B, class V>
V acosh_half(B& b, V x, DType) {
  using namespace detail;
  const V t = b.sub(x, b.f32(1.0f));
  const V s = sqrt_extended(b, b.fma(t, t, b.add(t, t))).high;
  const V outside = b.bit_not(b.bit_and(b.ge(x, b.f32(1.0f)), b.lt(x, b.f32(0x1p60f))));
  return b.rare(outside, log1p_half_normal(b, b.add(s, t)),
                [&] { return b.select(b.lt(x, b.f32(1.0f)), b.f32(nan_f32), log_of_twice(b, x)); });
}

/// atanh(x) = log((1 + x) / (1 - x)) / 2, f32; NaN for |x| > 1. Measured: at most 0.67 ulp; 54 instructions.
template <class B, class V>
V atanh_f32(B& b, V x) {
  using namespace detail;
  const V a = b.abs(x);
  const V near = odd_near(b, a, {0.3333329f, 0.2000318f, 0.14209352f, 0.11940869f, 0.04675806f, 0.18335834f});
  const V d = b.sub(b.f32(1.0f), a);
  const V far = log_extended(b, quotient_extended(b, exact_sum(b, b.f32(1.0f), a), d));
  const V magnitude = b.select(b.lt(a, b.f32(0.5f)), near, b.mul(far, b.f32(0.5f)));
  return with_sign_of(b, with_pole_at_one(b, a, magnitude), x);
}

/// atanh(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.021 ulp; 30 instructions.
///   bf16: Measured: at most 0.003 ulp; 30 instructions.
template <class B, class V>
V atanh_half(B& b, V x, DType) {
  using namespace detail;
  const V a = b.abs(x);
  const V near = odd_near(b, a, {0.33384565f, 0.18820876f, 0.21636394f});
  const V d = b.sub(b.f32(1.0f), a);
  const V far = log_half_of(b, b.mul(b.add(a, b.f32(1.0f)), reciprocal(b, d)));
  const V magnitude = b.select(b.lt(a, b.f32(0.5f)), near, b.mul(far, b.f32(0.5f)));
  return with_sign_of(b, with_pole_at_one(b, a, magnitude), x);
}

}  // namespace sinter::scalar::math
