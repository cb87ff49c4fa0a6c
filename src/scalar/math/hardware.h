// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp2.h"
#include "src/scalar/math/log.h"
#include "src/scalar/math/tanh.h"

#include <limits>

// The scalar ops that a GPU approximates in one instruction (ex2_approx, lg2_approx, rcp_approx, rsqrt_approx,
// tanh_approx), as every other back end computes them. Bounds of sm_80 and later are those of the PTX manual.

namespace sinter::scalar::math::hardware {

/// 2^x. Here: within 1.1 ulp; results below 2^-125.5 are 0. CUDA (ex2.approx.ftz): within 2 ulp; results below 2^-126
/// are 0. A result that is 0 is the smaller half of what a sum of exponentials ever sees.
template <class B, class V>
V ex2(B& b, V x) {
  using namespace detail;
  const ReducedExp2<V> e = reduce_exp2(b, b.min(b.max(x, b.f32(-126.0f)), b.f32(129.0f)));
  // 2 * 2^r, so that the power of two is infinite only where the result is.
  const V p = polynomial(b, e.r,
                         {2.0f, 2 * 0.6931472f, 2 * 0.24022648f, 2 * 0.055503596f, 2 * 0.009618501f, 2 * 0.0013390988f,
                          2 * 0.00015328598f});
  return b.mul(p, power_of_two(b, e.t, -1));
}

/// log2(x). Here and on CUDA (lg2.approx): within 2^-22, absolute for x in (0.5, 2) and else relative. Branch-free;
/// denormals are scaled.
template <class B, class V>
V lg2(B& b, V x) {
  using namespace detail;
  const V small = b.lt(x, b.f32(least_normal));
  const SplitFloat<V> s = split_float(b, b.select(small, b.mul(x, b.f32(0x1p23f)), x));
  const V e = b.fma(s.e, b.f32(0x1p-23f), b.select(small, b.f32(-23.0f), b.f32(0.0f)));
  const V p = polynomial(b, s.f,
                         {1.442695f, -0.7213475f, 0.48089558f, -0.36067417f, 0.28872654f, -0.2405219f, 0.20159794f,
                          -0.17738909f, 0.20364723f, -0.17938896f});
  const V finite = b.lt(x, b.f32(std::numeric_limits<float>::infinity()));
  const V result = b.select(finite, b.fma(s.f, p, e), x);
  const V positive = b.select(b.lt(x, b.f32(0.0f)), b.f32(std::numeric_limits<float>::quiet_NaN()), result);
  return b.select(b.eq(x, b.f32(0.0f)), b.f32(-std::numeric_limits<float>::infinity()), positive);
}

/// 1 / x. Here: correctly rounded. CUDA (rcp.approx): within 1 ulp.
template <class B, class V>
V rcp(B& b, V x) {
  return b.div(b.f32(1.0f), x);
}

/// 1 / sqrt(x). Here: within 1 ulp. CUDA (rsqrt.approx): within 2^-22.9.
template <class B, class V>
V rsqrt(B& b, V x) {
  return b.div(b.f32(1.0f), b.sqrt(x));
}

/// tanh(x). Here: within 2^-13.9 of the result. CUDA (tanh.approx): within 2^-11.
template <class B, class V>
V tanh(B& b, V x) {
  return tanh_half(b, x, sinter::f16);
}

}  // namespace sinter::scalar::math::hardware
