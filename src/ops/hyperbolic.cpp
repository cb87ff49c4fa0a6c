// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor sinh(Operand x) { return ops::pointwise<"sinh">(x); }
Tensor cosh(Operand x) { return ops::pointwise<"cosh">(x); }
Tensor tanh(Operand x) { return ops::pointwise<"tanh">(x); }
Tensor asinh(Operand x) { return ops::pointwise<"asinh">(x); }
Tensor acosh(Operand x) { return ops::pointwise<"acosh">(x); }
Tensor atanh(Operand x) { return ops::pointwise<"atanh">(x); }

}  // namespace sinter

namespace sinter::ops {

void register_hyperbolic() {
  register_function("sinh", "The hyperbolic sine; integers and booleans give f32.", sinh_value, -20, 20);
  register_function("cosh", "The hyperbolic cosine; integers and booleans give f32.", cosh_value, -20, 20);
  register_function("tanh", "The hyperbolic tangent; integers and booleans give f32.", tanh_value, -10, 10,
                    tanh_approx_value);
  register_function("asinh", "The inverse hyperbolic sine; integers and booleans give f32.", asinh_value, -20, 20);
  register_function("acosh", "The inverse hyperbolic cosine; NaN below 1; integers and booleans give f32.", acosh_value,
                    0.5, 20);
  register_function("atanh", "The inverse hyperbolic tangent; NaN outside of [-1, 1]; integers and booleans give f32.",
                    atanh_value, -1.2, 1.2);
}

}  // namespace sinter::ops
