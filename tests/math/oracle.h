// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace sinter::math_test {

/// A result format.
struct Format {
  const char* name;
  DType result;
  int precision;     ///< significant bits
  int min_exponent;  ///< of the least normal number
  double overflow;   ///< magnitudes from here round to infinity
};
std::span<const Format> formats();

/// A function under test: its expansion run by HostBuilder, and a double precision oracle.
struct Function {
  const char* name;
  void (*evaluate)(const float* x, float* y, int n, DType result);
  void (*exact)(const float* x, double* y, int n);
  double bound[3];  ///< documented bounds in ulp of f32, f16, bf16; before rounding
  double (*absolute)(double x, DType result) = nullptr;  ///< an error up to this is allowed as well
};
std::span<const Function> functions();

/// |got - exact| in units of the format's last place at `exact`. Infinity where one is NaN and the other is not, where
/// an infinity or the sign of a zero is wrong.
inline double error_in_ulps(float got, double exact, const Format& format) {
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : HUGE_VAL;
  if (std::fabs(exact) >= format.overflow) {
    const double least = std::isinf(exact) ? exact : format.overflow * (1 - std::ldexp(0.25, -format.precision));
    return std::fabs(got) >= std::fabs(least) && std::signbit(got) == std::signbit(exact) ? 0 : HUGE_VAL;
  }
  if (std::isinf(got)) return HUGE_VAL;
  if (exact == 0) {
    if (got == 0) return std::signbit(got) == std::signbit(exact) ? 0 : HUGE_VAL;
  }
  // Exponent of `exact` from its bits; a double denormal counts as the least exponent.
  const int e = static_cast<int>(std::bit_cast<uint64_t>(exact) >> 52 & 0x7ff) - 1023;
  const int ulp_exponent = (e < format.min_exponent ? format.min_exponent : e) - (format.precision - 1);
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 - ulp_exponent) << 52);
  return std::fabs(static_cast<double>(got) - exact) * scale;
}

}  // namespace sinter::math_test
