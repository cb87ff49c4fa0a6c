// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"
#include "tests/math/oracle.h"

namespace sinter::math_test {

namespace m = sinter::scalar::math;

// One loop per result type, so that each can be vectorised (Clang does).
#define SINTER_LOOP(expression) \
  for (int i = 0; i < n; ++i) { \
    m::HostBuilder b;           \
    const m::HostValue v(x[i]); \
    y[i] = (expression).f32;    \
  }

#define SINTER_MATH_FUNCTION(name, ...)                                                                                \
  __attribute__((flatten)) void evaluate_##name(const float* __restrict x, float* __restrict y, int n, DType result) { \
    if (result == f32) {                                                                                               \
      SINTER_LOOP(m::name##_f32(b, v))                                                                                 \
    } else if (result == f16) {                                                                                        \
      SINTER_LOOP(m::name##_half(b, v, f16))                                                                           \
    } else {                                                                                                           \
      SINTER_LOOP(m::name##_half(b, v, bf16))                                                                          \
    }                                                                                                                  \
  }
#include "tests/math/functions.def"

}  // namespace sinter::math_test
