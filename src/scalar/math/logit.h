// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/asinh.h"

// logit(x) = log(x / (1 - x)) = 2 atanh(2 x - 1): the polynomial of atanh for x in (1/4, 3/4), where the logarithm
// cancels; elsewhere the logarithm of (1 - m) / m, m the smaller of x and 1 - x.

namespace sinter::scalar::math {

namespace detail {

/// logit of what is not in [2^-126, 1); `denormal` is log(x) of a denormal x.
template <class B, class V, class Denormal>
V logit_special(B& b, V x, Denormal denormal) {
  const V zero = b.f32(0.0f);
  const V inside = b.bit_and(b.gt(x, zero), b.lt(x, b.f32(1.0f)));
  const V end = b.select(b.eq(x, zero), b.f32(-infinity_f32), b.f32(nan_f32));
  return b.select(inside, denormal, b.select(b.eq(x, b.f32(1.0f)), b.f32(infinity_f32), end));
}

/// `near` and `far`(m, 1 - m), the one for x in (1/4, 3/4).
template <class B, class V, class Near, class Far, class Denormal>
V logit_of_any(B& b, V x, Near near, Far far, Denormal denormal) {
  const V other = b.sub(b.f32(1.0f), x);
  const V below = b.lt(x, b.f32(0.5f));
  const V magnitude = far(b.min(x, other), b.max(x, other));
  const V c = b.fma(x, b.f32(2.0f), b.f32(-1.0f));
  const V main = b.select(b.lt(b.abs(c), b.f32(0.5f)), near(c), b.select(below, b.neg(magnitude), magnitude));
  const V outside = b.ge(b.sub(b.bitcast(x, u32), b.u32(0x00800000)), b.u32(0x3f000000));
  return b.rare(outside, main, [&] { return logit_special(b, x, denormal()); });
}

}  // namespace detail

/// log(x / (1 - x)), f32; NaN outside of [0, 1]. Measured: at most 0.67 ulp; 57 instructions.
template <class B, class V>
V logit_f32(B& b, V x) {
  using namespace detail;
  const auto near = [&](V c) {
    const V atanh = odd_near(b, c, {0.3333329f, 0.2000318f, 0.14209352f, 0.11940869f, 0.04675806f, 0.18335834f});
    return b.add(atanh, atanh);
  };
  const auto far = [&](V m, V rest) {
    const V rest_low = b.sub(b.sub(b.f32(1.0f), rest), m);
    return log_extended(b, quotient_extended(b, HighLow<V>{rest, rest_low}, m));
  };
  return logit_of_any(b, x, near, far, [&] { return log_normal(b, b.mul(x, b.f32(0x1p23f)), 23); });
}

/// log(x / (1 - x)) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.021 ulp; 33 instructions.
///   bf16: Measured: at most 0.003 ulp; 33 instructions.
template <class B, class V>
V logit_half(B& b, V x, DType) {
  using namespace detail;
  const auto near = [&](V c) { return b.mul(odd_near(b, c, {0.33384565f, 0.18820876f, 0.21636394f}), b.f32(2.0f)); };
  const auto far = [&](V m, V rest) { return log_half_of(b, b.mul(rest, reciprocal(b, m))); };
  return logit_of_any(b, x, near, far, [&] { return log_half_normal(b, b.mul(x, b.f32(0x1p23f)), f16, 23); });
}

}  // namespace sinter::scalar::math
