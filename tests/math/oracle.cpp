// SPDX-License-Identifier: Apache-2.0
#include "tests/math/oracle.h"

#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"

namespace sinter::math_test {
namespace {

namespace m = sinter::scalar::math;

constexpr Format all_formats[] = {
    {"f32", f32, 24, -126, 0x1.ffffffp127},
    {"f16", f16, 11, -14, 65520.0},
    {"bf16", bf16, 8, -126, 0x1.ffp127},
};

// One loop per result type, so that each is vectorised.
#define SINTER_EVALUATE(name)                                                                     \
  [](const float* x, float* y, int n, DType result) __attribute__((flatten)) {                    \
    m::HostBuilder b;                                                                             \
    if (result == f32) {                                                                          \
      for (int i = 0; i < n; ++i) y[i] = m::name##_f32(b, m::HostValue(x[i])).f32;                \
    } else if (result == f16) {                                                                   \
      for (int i = 0; i < n; ++i) y[i] = m::name##_half(b, m::HostValue(x[i]), sinter::f16).f32;  \
    } else {                                                                                      \
      for (int i = 0; i < n; ++i) y[i] = m::name##_half(b, m::HostValue(x[i]), sinter::bf16).f32; \
    }                                                                                             \
  }

// gelu: half a unit of what x/2 (1 + erf(x / sqrt 2)) loses in f32 at best; results below 1.6e-37 are 0.
double gelu_absolute(double x, DType result) {
  return result == f32 ? std::fabs(x) * 0x1p-25 : result == bf16 ? 1.6e-37 : 0.0;
}

const Function all_functions[] = {
    {"exp", SINTER_EVALUATE(exp), [](double x) { return std::exp(x); }, {0.92, 0.116, 0.039}},
    {"sigmoid", SINTER_EVALUATE(sigmoid), [](double x) { return 1 / (1 + std::exp(-x)); }, {0.99, 0.122, 0.067}},
    {"tanh", SINTER_EVALUATE(tanh), [](double x) { return std::tanh(x); }, {0.84, 0.104, 0.123}},
    {"erf", SINTER_EVALUATE(erf), [](double x) { return std::erf(x); }, {0.992, 0.108, 0.1}},
    {"gelu",
     SINTER_EVALUATE(gelu),
     [](double x) { return x * (0.5 * std::erfc(-x * M_SQRT1_2)); },
     {2, 0.07, 0.06},
     gelu_absolute},
    {"rsqrt", SINTER_EVALUATE(rsqrt), [](double x) { return 1 / std::sqrt(x); }, {0.52, 0.046, 0.006}},
    {"log", SINTER_EVALUATE(log), [](double x) { return std::log(x); }, {0.96, 0.085, 0.08}},
};

}  // namespace

std::span<const Format> formats() { return all_formats; }
std::span<const Function> functions() { return all_functions; }

}  // namespace sinter::math_test
