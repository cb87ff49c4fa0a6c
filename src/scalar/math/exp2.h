// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp.h"

namespace sinter::scalar::math::detail {

/// n + r, n an integer: t = round_magic + n.
template <class V>
struct ReducedExp2 {
  V t;
  V r;
};

template <class B, class V>
ReducedExp2<V> reduce_exp2(B& b, V x) {
  const V t = b.add(x, b.f32(round_magic));
  return {t, b.sub(x, b.sub(t, b.f32(round_magic)))};
}

/// a g = n + r with t = round_magic + n; the product is not rounded.
template <class B, class V>
ReducedExp2<V> reduce_exp2_product(B& b, V a, V g) {
  const V t = b.fma(a, g, b.f32(round_magic));
  return {t, b.fma(a, g, b.sub(b.f32(round_magic), t))};
}

/// 2^r for |r| <= 0.5; relative error of the degrees: 3: 7.5e-5, 4: 2.7e-6, 6: 3e-9.
template <int degree, class B, class V>
V exp2_reduced(B& b, V r) {
  static_assert(degree == 3 || degree == 4 || degree == 6);
  if constexpr (degree == 3) return polynomial(b, r, {0.9999279f, 0.6932612f, 0.24261415f, 0.05517128f});
  if constexpr (degree == 4) {
    return polynomial(b, r, {0.9999993f, 0.69312185f, 0.24024728f, 0.055917896f, 0.009570457f});
  }
  return polynomial(b, r, {1.0f, 0.6931472f, 0.24022648f, 0.055503596f, 0.009618501f, 0.0013390988f, 0.00015328598f});
}

}  // namespace sinter::scalar::math::detail
