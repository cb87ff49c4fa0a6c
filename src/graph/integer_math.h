// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace sinter::graph {

// Sums and products modulo 2^64: canonical sums stay canonical whatever the coefficients, without undefined behaviour.
inline int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrapped_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Quotient rounded down; b != 0.
inline int64_t floor_divide(int64_t a, int64_t b) {
  if (b == -1) return wrapped_product(a, -1);
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
/// Remainder with the sign of b; b != 0.
inline int64_t floor_modulo(int64_t a, int64_t b) {
  return wrapped_sum(a, wrapped_product(wrapped_product(b, floor_divide(a, b)), -1));
}

/// The least of b, 2*b, 4*b, ... that is not below a; b itself where it is not positive.
inline int64_t doubled_until(int64_t a, int64_t b) {
  constexpr int64_t half = std::numeric_limits<int64_t>::max() / 2;
  while (b > 0 && b < a && b <= half) b *= 2;
  return b;
}

}  // namespace sinter::graph
