// SPDX-License-Identifier: Apache-2.0
#include "tests/math/oracle.h"
#include "tests/math/vector_functions.h"

namespace sinter::math_test {
namespace {

inline double exact_softplus(double x) { return x > 40 ? x : log1p(exp(x)); }

// 2 x - 1 is exact, which 1 - x beside a small x is not.
inline double exact_logit(double x) { return std::fabs(x - 0.5) < 0.25 ? 2 * atanh(2 * x - 1) : log(x / (1 - x)); }

}  // namespace

#define SINTER_MATH_FUNCTION(name, value, ...)             \
  void exact_##name(const float* in, double* out, int n) { \
    for (int i = 0; i < n; ++i) {                          \
      const double x = static_cast<double>(in[i]);         \
      out[i] = value;                                      \
    }                                                      \
  }
#include "tests/math/functions.def"

}  // namespace sinter::math_test
