// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp2.h"
#include "src/scalar/math/expm1.h"
#include "src/scalar/math/log1p.h"

// softplus(x) = log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).

namespace sinter::scalar::math {

namespace detail {

/// exp(-|x|) in (0, 1], as high + low.
template <class B, class V>
HighLow<V> exp_of_minus_abs(B& b, V x) {
  const ExtendedExp<V> e = exp_extended(b, b.neg(b.min(b.abs(x), b.f32(105.0f))));
  const HighLow<V> p = exact_sum(b, b.f32(1.0f), e.u.high);
  return {scale_twice(b, p.high, e.t), scale_twice(b, b.add(p.low, e.u.low), e.t)};
}

/// exp(-|x|) for results of 16 bits.
template <class B, class V>
V exp_of_minus_abs_half(B& b, V x) {
  const V limited = b.min(b.abs(x), b.f32(105.0f));
  const ReducedExp2<V> e = reduce_exp2_product(b, limited, b.f32(-0.5f * log2_e));
  const V root = b.mul(exp2_reduced<4>(b, e.r), power_of_two(b, e.t, 0));
  return b.mul(root, root);
}

}  // namespace detail

/// log(1 + exp(x)), f32. Measured: at most 0.95 ulp; 65 instructions.
template <class B, class V>
V softplus_f32(B& b, V x) {
  using namespace detail;
  const HighLow<V> l = log1p_extended(b, exp_of_minus_abs(b, x));
  const V positive = b.max(x, b.f32(0.0f));
  const HighLow<V> sum = exact_sum(b, b.max(positive, l.high), b.min(positive, l.high));
  // From 18 on exp(-x) is below half a unit of x; the sum would make NaN of infinity.
  return b.select(b.gt(x, b.f32(18.0f)), x, b.add(sum.high, b.add(sum.low, l.low)));
}

/// log(1 + exp(x)) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.087 ulp; 26 instructions.
///   bf16: Measured: at most 0.011 ulp; 26 instructions.
template <class B, class V>
V softplus_half(B& b, V x, DType) {
  using namespace detail;
  return b.add(b.max(x, b.f32(0.0f)), log1p_half_normal(b, exp_of_minus_abs_half(b, x)));
}

/// log(sigmoid(x)) = -softplus(-x), f32; -0 nowhere. Errors of softplus.
template <class B, class V>
V log_sigmoid_f32(B& b, V x) {
  return b.sub(b.f32(0.0f), softplus_f32(b, b.neg(x)));
}

/// log(sigmoid(x)) for a result of type f16 or bf16.
template <class B, class V>
V log_sigmoid_half(B& b, V x, DType result) {
  return b.sub(b.f32(0.0f), softplus_half(b, b.neg(x), result));
}

}  // namespace sinter::scalar::math
