// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/polynomial.h"

#include <sinter/dtype.h>

namespace sinter::scalar::math {

namespace detail {

// Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits of the sum.
inline constexpr float round_magic = 12582912.0f;
inline constexpr float log2_e = 1.4426950408889634f;
// ln 2 in two parts; the high one has 15 significant bits, so that n * ln2_high is exact for |n| < 512.
inline constexpr float ln2_high = 0.693145751953125f;
inline constexpr float ln2_low = 1.4286068203094172e-6f;

/// 2^(n + shift) where t = round_magic + n and n + shift is in [-127, 128]; the ends give 0 and infinity.
template <class B, class V>
V power_of_two(B& b, V t, int shift) {
  const V n = b.shl(b.bitcast(t, i32), b.i32(23));
  return b.bitcast(b.add(n, b.i32((127 + shift) << 23)), f32);
}

/// x = n ln 2 + r, |r| <= ln(2) / 2, t = round_magic + n; |n| < 512.
template <class V>
struct ReducedExp {
  V t;
  V r;
};

template <class B, class V>
ReducedExp<V> reduce_exp(B& b, V x) {
  const V t = b.fma(x, b.f32(log2_e), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  return {t, b.fma(n, b.f32(-ln2_low), b.fma(n, b.f32(-ln2_high), x))};
}

/// exp(r) - 1 = r + r^2 q(r) for |r| <= ln(2) / 2, q of degree 4.
template <class B, class V>
V expm1_reduced(B& b, V r) {
  const V q = polynomial(b, r, {0.5f, 0.1666652f, 0.0416664f, 0.008368833f, 0.0013940874f});
  return b.fma(b.mul(r, r), q, r);
}

/// 2^n p, n in [-252, 254], with one rounding; keeps NaN in p. In two steps since 2^n may be no normal number.
template <class B, class V>
V scale_twice(B& b, V p, V t) {
  const V bits = b.bitcast(t, i32);
  const V half = b.shr(bits, b.i32(1));  // round_magic / 2 + floor(n / 2); what is above bit 8 is shifted out below
  const V rest = b.sub(bits, half);
  const V one = b.i32(127 << 23);
  const V s1 = b.bitcast(b.add(b.shl(half, b.i32(23)), one), f32);
  const V s2 = b.bitcast(b.add(b.shl(rest, b.i32(23)), one), f32);
  return b.mul(b.mul(p, s1), s2);
}

}  // namespace detail

/// exp(x), f32. Measured: at most 0.91 ulp; 18 instructions.
template <class B, class V>
V exp_f32(B& b, V x) {
  using namespace detail;
  const V clamped = b.min(b.max(x, b.f32(-105.0f)), b.f32(89.5f));
  const ReducedExp<V> e = reduce_exp(b, clamped);
  const V p = polynomial(b, e.r, {1.0f, 1.0f, 0.5f, 0.1666652f, 0.0416664f, 0.008368833f, 0.0013940874f});
  return scale_twice(b, p, e.t);
}

/// exp(x) for a result of type f16 or bf16.
///   f16: Measured: at most 0.116 ulp; 10 instructions. Below 2^-125.5 the result is 0.
///   bf16: Measured: at most 0.039 ulp; 11 instructions.
template <class B, class V>
V exp_half(B& b, V x, DType result) {
  using namespace detail;
  if (result == f16) {
    const V clamped = b.min(b.max(x, b.f32(-87.336f)), b.f32(89.5f));
    const V t = b.fma(clamped, b.f32(log2_e), b.f32(round_magic));
    const V n = b.sub(t, b.f32(round_magic));
    const V r = b.fma(clamped, b.f32(log2_e), b.neg(n));
    // 2 * 2^r, so that the power of two is infinite only where the result is.
    const V p = polynomial(b, r, {2 * 0.9999469f, 2 * 0.6933141f, 2 * 0.2425195f, 2 * 0.054947857f});
    return b.mul(p, power_of_two(b, t, -1));
  }
  // (exp(x / 2))^2: the last product rounds to a denormal or overflows by itself.
  const V clamped = b.min(b.max(x, b.f32(-105.0f)), b.f32(105.0f));
  const V t = b.fma(clamped, b.f32(0.5f * log2_e), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  const V r = b.fma(clamped, b.f32(0.5f * log2_e), b.neg(n));
  const V p = polynomial(b, r, {0.9999279f, 0.6932612f, 0.24261415f, 0.05517128f});
  const V root = b.mul(p, power_of_two(b, t, 0));
  return b.mul(root, root);
}

/// exp(x), approximate: relative error below (2 + 1.2 |x|) 2^-23, that of the product's rounding.
template <class B, class V>
V exp_approx(B& b, V x) {
  return b.ex2_approx(b.mul(x, b.f32(detail::log2_e)));
}

}  // namespace sinter::scalar::math
