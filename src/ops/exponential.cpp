// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor exp(Operand x) { return ops::pointwise<"exp">(x); }
Tensor exp2(Operand x) { return ops::pointwise<"exp2">(x); }
Tensor expm1(Operand x) { return ops::pointwise<"expm1">(x); }
Tensor log(Operand x) { return ops::pointwise<"log">(x); }
Tensor log2(Operand x) { return ops::pointwise<"log2">(x); }
Tensor log10(Operand x) { return ops::pointwise<"log10">(x); }
Tensor log1p(Operand x) { return ops::pointwise<"log1p">(x); }
Tensor sqrt(Operand x) { return ops::pointwise<"sqrt">(x); }
Tensor rsqrt(Operand x) { return ops::pointwise<"rsqrt">(x); }
Tensor erf(Operand x) { return ops::pointwise<"erf">(x); }
Tensor erfc(Operand x) { return ops::pointwise<"erfc">(x); }

}  // namespace sinter

namespace sinter::ops {

void register_exponential() {
  register_function("exp", "e to the power of x; integers and booleans give f32.", exp_value, -20, 12,
                    exp_approx_value);
  register_function("exp2", "2 to the power of x; integers and booleans give f32.", exp2_value, -30, 16,
                    exp2_approx_value);
  register_function("expm1", "exp(x) - 1, accurate near 0; integers and booleans give f32.", expm1_value, -20, 12);
  register_function("log", "The natural logarithm; integers and booleans give f32.", log_value, -1, 50,
                    log_approx_value);
  register_function("log2", "The logarithm of base 2; integers and booleans give f32.", log2_value, -1, 50,
                    log2_approx_value);
  register_function("log10", "The logarithm of base 10; integers and booleans give f32.", log10_value, -1, 50,
                    log10_approx_value);
  register_function("log1p", "log(1 + x), accurate near 0; integers and booleans give f32.", log1p_value, -1.2, 50);
  register_function(
      "sqrt", "The square root, correctly rounded; integers and booleans give f32.",
      [](loop::Builder& b, loop::Value x, DType) { return b.sqrt(x); }, -1, 50);
  register_function("rsqrt", "One over the square root; integers and booleans give f32.", rsqrt_value, -1, 50,
                    rsqrt_approx_value);
  register_function("erf", "The error function; integers and booleans give f32.", erf_value, -5, 5);
  register_function("erfc", "1 - erf(x), accurate for large x; integers and booleans give f32.", erfc_value, -5, 11);
}

}  // namespace sinter::ops
