// SPDX-License-Identifier: Apache-2.0
#include "tests/math/oracle.h"

#include <string_view>

namespace sinter::math_test {

// exact.cpp and evaluate.cpp
#define SINTER_MATH_FUNCTION(name, ...)                \
  void exact_##name(const float* x, double* y, int n); \
  void evaluate_##name(const float* __restrict x, float* __restrict y, int n, DType result);
#include "tests/math/functions.def"
#undef SINTER_MATH_FUNCTION

namespace {

constexpr Format all_formats[] = {
    {"f32", f32, 24, -126, 0x1.ffffffp127},
    {"f16", f16, 11, -14, 65520.0},
    {"bf16", bf16, 8, -126, 0x1.ffp127},
};

// gelu: half a unit of what x/2 (1 + erf(x / sqrt 2)) loses in f32 at best; results below 1.6e-37 are 0.
double gelu_absolute(double x, DType result) {
  return result == f32 ? std::fabs(x) * 0x1p-25 : result == bf16 ? 1.6e-37 : 0.0;
}

constexpr auto absolute_bound(std::string_view name) { return name == "gelu" ? gelu_absolute : nullptr; }

const Function all_functions[] = {
#define SINTER_MATH_FUNCTION(name, value, ...) \
  {#name, evaluate_##name, exact_##name, {__VA_ARGS__}, absolute_bound(#name)},
#include "tests/math/functions.def"
#undef SINTER_MATH_FUNCTION
};

}  // namespace

std::span<const Format> formats() { return all_formats; }
std::span<const Function> functions() { return all_functions; }

}  // namespace sinter::math_test
