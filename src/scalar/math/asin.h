// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/half_pi.h"
#include "src/scalar/math/sign.h"
#include "src/scalar/math/square_root.h"

// asin(a) = a + a z p(z), z = a^2, for a <= 1/2; above, asin(a) = pi/2 - 2 asin(s) with s = sqrt((1 - a) / 2).
// acos(x) = pi/2 - asin(x), where that is 2 asin(s) for x > 1/2 and pi - 2 asin(s) for x < -1/2.

namespace sinter::scalar::math {

namespace detail {

/// What both functions use of |x|: asin(v) = v.high + rest where `near` (v = |x|) and elsewhere (v = s).
template <class V>
struct AsinParts {
  V a;
  V near;
  V v;
  V rest;
};

template <class B, class V>
AsinParts<V> asin_parts(B& b, V x) {
  const V a = b.abs(x);
  const V near = b.lt(a, b.f32(0.5f));
  const V far_z = b.fma(a, b.f32(-0.5f), b.f32(0.5f));
  const HighLow<V> s = sqrt_extended(b, far_z);
  const V z = b.select(near, b.mul(a, a), far_z);
  const V v = b.select(near, a, s.high);
  const V p = polynomial(b, z, {0.16666752f, 0.074953064f, 0.045469772f, 0.024180774f, 0.042166412f});
  return {a, near, v, b.fma(b.mul(v, z), p, b.select(near, b.f32(0.0f), s.low))};
}

/// The same for results of 16 bits; v + rest is not kept apart.
template <class B, class V>
AsinParts<V> asin_parts_half(B& b, V x) {
  const V a = b.abs(x);
  const V near = b.lt(a, b.f32(0.5f));
  const V far_z = b.fma(a, b.f32(-0.5f), b.f32(0.5f));
  const V z = b.select(near, b.mul(a, a), far_z);
  const V v = b.select(near, a, sqrt_rough(b, far_z));
  const V rest = b.mul(b.mul(v, z), polynomial(b, z, {0.16680145f, 0.071896695f, 0.064117946f}));
  return {a, near, v, rest};
}

/// asin and acos have no value above 1.
template <class B, class V>
V unless_above_one(B& b, V a, V result) {
  return b.select(b.gt(a, b.f32(1.0f)), b.f32(std::numeric_limits<float>::quiet_NaN()), result);
}

template <class B, class V>
V asin_of_parts(B& b, V x, const AsinParts<V>& p) {
  // pi/2 - 2 (v + rest)
  const V two_v = b.add(p.v, p.v);
  const V high = b.sub(b.f32(half_pi_high), two_v);
  const V low = b.sub(b.sub(b.f32(half_pi_high), high), two_v);
  const V far = b.add(high, b.add(low, b.fma(p.rest, b.f32(-2.0f), b.f32(half_pi_middle))));
  return unless_above_one(b, p.a, with_sign_of(b, b.select(p.near, b.add(p.v, p.rest), far), x));
}

/// c -+ (v + rest) or c -+ 2 (v + rest), c = pi/2, 0 or pi.
template <class B, class V>
V acos_of_parts(B& b, V x, const AsinParts<V>& p) {
  const V below = b.lt(x, b.f32(0.0f));
  const V c = b.select(p.near, b.f32(half_pi_high), b.select(below, b.f32(2 * half_pi_high), b.f32(0.0f)));
  const V c_low = b.mul(c, b.f32(half_pi_middle / half_pi_high));
  const V factor = b.select(p.near, b.f32(-1.0f), b.f32(2.0f));
  const V signed_factor = b.select(below, b.neg(factor), factor);
  const V high = b.fma(p.v, signed_factor, c);
  const V low = b.fma(p.v, signed_factor, b.sub(c, high));
  return unless_above_one(b, p.a, b.add(high, b.add(low, b.fma(p.rest, signed_factor, c_low))));
}

}  // namespace detail

/// asin(x), f32; NaN for |x| > 1. Measured: at most 0.68 ulp; 36 instructions.
template <class B, class V>
V asin_f32(B& b, V x) {
  return detail::asin_of_parts(b, x, detail::asin_parts(b, x));
}

/// asin(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.049 ulp; 22 instructions.
///   bf16: Measured: at most 0.007 ulp; 22 instructions.
template <class B, class V>
V asin_half(B& b, V x, DType) {
  using namespace detail;
  const AsinParts<V> p = asin_parts_half(b, x);
  const V sum = b.add(p.v, p.rest);
  const V far = b.fma(sum, b.f32(-2.0f), b.f32(half_pi_high));
  return unless_above_one(b, p.a, with_sign_of(b, b.select(p.near, sum, far), x));
}

/// acos(x), f32; NaN for |x| > 1. Measured: at most 0.67 ulp; 39 instructions.
template <class B, class V>
V acos_f32(B& b, V x) {
  return detail::acos_of_parts(b, x, detail::asin_parts(b, x));
}

/// acos(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.049 ulp; 26 instructions.
///   bf16: Measured: at most 0.007 ulp; 26 instructions.
template <class B, class V>
V acos_half(B& b, V x, DType) {
  using namespace detail;
  const AsinParts<V> p = asin_parts_half(b, x);
  const V below = b.lt(x, b.f32(0.0f));
  const V c = b.select(p.near, b.f32(half_pi_high), b.select(below, b.f32(2 * half_pi_high), b.f32(0.0f)));
  const V factor = b.select(p.near, b.f32(-1.0f), b.f32(2.0f));
  const V result = b.fma(b.add(p.v, p.rest), b.select(below, b.neg(factor), factor), c);
  return unless_above_one(b, p.a, result);
}

}  // namespace sinter::scalar::math
