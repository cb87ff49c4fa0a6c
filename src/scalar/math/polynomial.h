// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

namespace sinter::scalar::math {

/// Horner's scheme with fma: c[0] + c[1] x + c[2] x^2 + ...; at least two coefficients.
template <class B, class V>
V polynomial(B& b, V x, std::initializer_list<float> c) {
  const float* k = c.end() - 1;
  V sum = b.f32(*k);
  while (k != c.begin()) sum = b.fma(sum, x, b.f32(*--k));
  return sum;
}

}  // namespace sinter::scalar::math
