// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/high_low.h"
#include "src/scalar/math/rsqrt.h"

namespace sinter::scalar::math::detail {

/// sqrt(x) within 2^-30, as high + low, for x.high zero or positive and normal, x.low far below it.
template <class B, class V>
HighLow<V> sqrt_extended(B& b, const HighLow<V>& x) {
  const V y = rsqrt_start(b, x.high);
  const V root = b.mul(x.high, y);
  const V rest = b.add(b.fma(b.neg(root), root, x.high), x.low);
  return exact_sum(b, root, b.mul(rest, b.mul(y, b.f32(0.5f))));
}

/// The same for x without a low part.
template <class B, class V>
HighLow<V> sqrt_extended(B& b, V x) {
  const V y = rsqrt_start(b, x);
  const V root = b.mul(x, y);
  return exact_sum(b, root, b.mul(b.fma(b.neg(root), root, x), b.mul(y, b.f32(0.5f))));
}

/// sqrt(x) within 2.3e-5.
template <class B, class V>
V sqrt_rough(B& b, V x) {
  return b.mul(x, rsqrt_start(b, x));
}

}  // namespace sinter::scalar::math::detail
