// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace sinter::math_test {

/// Every value of f16 or bf16, subnormals, infinities and NaN included.
inline std::vector<float> all_of_16_bits(DType type) {
  std::vector<float> x;
  for (uint32_t bits = 0; bits < (1u << 16); ++bits) {
    if (type == bf16) {
      x.push_back(std::bit_cast<float>(bits << 16));
      continue;
    }
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double mantissa = (bits & 1023) + (exponent == 0 ? 0 : 1024);
    double v = std::ldexp(mantissa, (exponent == 0 ? 1 : exponent) - 25);
    if (exponent == 31) v = (bits & 1023) == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    x.push_back(static_cast<float>(bits >> 15 == 0 ? v : -v));
  }
  return x;
}

}  // namespace sinter::math_test
