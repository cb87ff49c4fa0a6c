// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/normal.h"
#include "src/scalar/math/polynomial.h"

namespace sinter::scalar::math {

namespace detail {

/// 1 / sqrt(x) within 2.3e-5 for normal positive x: magic - bits(x) / 2 halves and negates the exponent; then a
/// polynomial for m^(-1/2), m = x y^2 in [0.92, 1.06]. 7 instructions.
template <class B, class V>
V rsqrt_start(B& b, V x) {
  const V y = b.bitcast(b.sub(b.i32(0x5f360000), b.shr(b.bitcast(x, i32), b.i32(1))), f32);
  const V m = b.mul(b.mul(x, y), y);
  return b.mul(y, polynomial(b, m, {1.8894377f, -1.2780488f, 0.3885979f}));
}

template <class B, class V>
V rsqrt_normal(B& b, V x) {
  const V y = rsqrt_start(b, x);
  // x y^2 = (root + root_low) y
  const V root = b.mul(x, y);
  const V root_low = b.fma(x, y, b.neg(root));
  const V e = b.fma(b.neg(root_low), y, b.fma(b.neg(root), y, b.f32(1.0f)));
  return b.fma(b.mul(y, b.f32(0.5f)), e, y);
}

}  // namespace detail

/// 1 / sqrt(x), f32. rsqrt(+-0) = +-inf, rsqrt(inf) = 0, rsqrt(x < 0) = NaN. Measured: at most 0.52 ulp; 16 instructions.
template <class B, class V>
V rsqrt_f32(B& b, V x) {
  using namespace detail;
  return b.rare(not_positive_normal(b, x), rsqrt_normal(b, x), [&] {
    const V denormal = b.mul(rsqrt_normal(b, b.mul(x, b.f32(0x1p24f))), b.f32(0x1p12f));
    const V special = b.div(b.f32(1.0f), b.sqrt(x));
    return b.select(b.bit_and(b.gt(x, b.f32(0.0f)), b.lt(x, b.f32(least_normal))), denormal, special);
  });
}

/// 1 / sqrt(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.046 ulp; 10 instructions.
///   bf16: Measured: at most 0.006 ulp; 10 instructions.
template <class B, class V>
V rsqrt_half(B& b, V x, DType) {
  using namespace detail;
  return b.rare(not_positive_normal(b, x), rsqrt_start(b, x), [&] { return b.div(b.f32(1.0f), b.sqrt(x)); });
}

}  // namespace sinter::scalar::math
