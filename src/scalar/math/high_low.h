// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::scalar::math::detail {

/// An unevaluated sum.
template <class V>
struct HighLow {
  V high;
  V low;
};

/// a b = high + low exactly.
template <class B, class V>
HighLow<V> exact_product(B& b, V x, V y) {
  const V high = b.mul(x, y);
  return {high, b.fma(x, y, b.neg(high))};
}

/// a + c = high + low exactly where |a| >= |c| or a = 0.
template <class B, class V>
HighLow<V> exact_sum(B& b, V a, V c) {
  const V high = b.add(a, c);
  return {high, b.sub(c, b.sub(high, a))};
}

}  // namespace sinter::scalar::math::detail
