// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp.h"
#include "src/scalar/math/high_low.h"
#include "src/scalar/math/sign.h"

namespace sinter::scalar::math {

namespace detail {

/// exp(x) - 1 = 2^n (1 + u) - 1 with n = t - round_magic and u about 2^-32 accurate.
template <class V>
struct ExtendedExp {
  V t;
  HighLow<V> u;
};

template <class B, class V>
ExtendedExp<V> exp_extended(B& b, V x) {
  const V t = b.fma(x, b.f32(log2_e), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  const V r0 = b.fma(n, b.f32(-ln2_high), x);
  const V r = b.fma(n, b.f32(-ln2_low), r0);
  const V r_low = b.fma(n, b.f32(-ln2_low), b.sub(r0, r));
  const V square = b.mul(r, r);
  const V q = polynomial(b, r, {0.5f, 0.16666667f, 0.041666463f, 0.008333206f, 0.0013935106f, 0.00019946002f});
  const V u = b.fma(square, q, r);
  return {t, {u, b.add(b.fma(square, q, b.sub(r, u)), b.fma(r_low, u, r_low))}};
}

}  // namespace detail

/// exp(x) - 1, f32. Measured: at most 0.74 ulp; 31 instructions.
template <class B, class V>
V expm1_f32(B& b, V x) {
  using namespace detail;
  const ExtendedExp<V> e = exp_extended(b, b.min(b.max(x, b.f32(-40.0f)), b.f32(89.0f)));
  // Half the result, which is no infinity before the last product: s u + (s - 1/2), s = 2^(n - 1).
  const V s = power_of_two(b, e.t, -1);
  const V shift = b.sub(s, b.f32(0.5f));
  const V shift_low = b.sub(b.sub(s, shift), b.f32(0.5f));
  const V v = b.fma(s, e.u.high, shift);
  const V v_low = b.fma(s, e.u.low, b.fma(s, e.u.high, b.sub(shift, v)));
  const V result = b.mul(b.add(v, b.add(v_low, shift_low)), b.f32(2.0f));
  // Halves of denormals lose a bit, and zeros their sign.
  return b.select(b.lt(b.abs(x), b.f32(0x1p-25f)), x, result);
}

/// exp(x) - 1 for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.036 ulp; 14 instructions.
///   bf16: Measured: at most 0.005 ulp; 14 instructions.
template <class B, class V>
V expm1_half(B& b, V x, DType) {
  using namespace detail;
  const V clamped = b.min(b.max(x, b.f32(-40.0f)), b.f32(89.0f));
  const V t = b.fma(clamped, b.f32(log2_e), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  const V r = b.fma(clamped, b.f32(log2_e), b.neg(n));
  const V u = b.mul(r, polynomial(b, r, {0.6931368f, 0.24023247f, 0.05583783f, 0.009618291f}));
  const V s = power_of_two(b, t, -1);
  return with_sign_of(b, b.mul(b.fma(s, u, b.sub(s, b.f32(0.5f))), b.f32(2.0f)), x);
}

}  // namespace sinter::scalar::math
