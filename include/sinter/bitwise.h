// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

// Bits of integers. Dtypes promote, shapes broadcast and numbers stand for tensors as in <sinter/pointwise.h>; floating
// dtypes are refused with UserError.

#pragma GCC visibility push(default)
namespace sinter {

// Of booleans these are the logical functions, so they combine masks: (x > 0) & (x < 1).
Tensor bitwise_not(Operand x);
Tensor bitwise_and(Operand a, Operand b);
Tensor bitwise_or(Operand a, Operand b);
Tensor bitwise_xor(Operand a, Operand b);
Tensor operator~(Operand x);
Tensor operator&(Operand a, Operand b);
Tensor operator|(Operand a, Operand b);
Tensor operator^(Operand a, Operand b);

// Shifts of integers; booleans are refused. A count that is negative or not below the width of the common dtype shifts
// every bit out: the result is 0, or -1 where a negative x is shifted right.
Tensor bitwise_left_shift(Operand x, Operand count);
Tensor bitwise_right_shift(Operand x, Operand count);
Tensor operator<<(Operand x, Operand count);
Tensor operator>>(Operand x, Operand count);

}  // namespace sinter
#pragma GCC visibility pop
