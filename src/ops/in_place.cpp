// SPDX-License-Identifier: Apache-2.0
#include <sinter/in_place.h>

#include "src/ops/assign.h"
#include "src/ops/host_operand.h"

namespace sinter {

Tensor copy_(Operand x, Operand value) { return assign(ops::again(x), ops::again(value)); }
Tensor fill_(Operand x, Operand value) { return assign(ops::again(x), ops::again(value)); }
Tensor zero_(Operand x) { return assign(ops::again(x), {0, x.line().file, x.line().line}); }

#define SINTER_IN_PLACE_0(op)                                            \
  Tensor op##_(Operand x) {                                              \
    ops::require_tensor(x, #op "_");                                     \
    return ops::in_place(#op "_", x, [&] { return op(ops::again(x)); }); \
  }
#define SINTER_IN_PLACE_1(op)                                                           \
  Tensor op##_(Operand x, Operand y) {                                                  \
    ops::require_tensor(x, #op "_");                                                    \
    return ops::in_place(#op "_", x, [&] { return op(ops::again(x), ops::again(y)); }); \
  }
#define SINTER_IN_PLACE_2(op)                                                                          \
  Tensor op##_(Operand x, Operand y, Operand z) {                                                      \
    ops::require_tensor(x, #op "_");                                                                   \
    return ops::in_place(#op "_", x, [&] { return op(ops::again(x), ops::again(y), ops::again(z)); }); \
  }
#include <sinter/in_place_ops.def>

Tensor update_(Operand x, const Callback<Tensor(const Tensor&)>& f) {
  const Tensor& t = ops::require_tensor(x, "update_");
  return ops::in_place("update_", x, [&] { return f(t); });
}

#define SINTER_ASSIGNING_OPERATOR(symbol, op) \
  Tensor operator symbol(const Tensor& x, Operand y) { return op({x, y.line().file, y.line().line}, ops::again(y)); }
SINTER_ASSIGNING_OPERATOR(+=, add_)
SINTER_ASSIGNING_OPERATOR(-=, sub_)
SINTER_ASSIGNING_OPERATOR(*=, mul_)
SINTER_ASSIGNING_OPERATOR(/=, div_)
SINTER_ASSIGNING_OPERATOR(&=, bitwise_and_)
SINTER_ASSIGNING_OPERATOR(|=, bitwise_or_)
SINTER_ASSIGNING_OPERATOR(^=, bitwise_xor_)
#undef SINTER_ASSIGNING_OPERATOR

}  // namespace sinter
