// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

// Matrix products. Arguments have one dtype, any but boolean, which is the result's; f16 and bf16 accumulate in f32 and
// are rounded once. cuBLASLt and oneDNN compute them for f32, f16 and bf16 where they are there, with TF32 off: then
// the order of summation is the library's (docs/semantics.md has the bound). Other dtypes, empty inner dims, and
// everything where no library is there or CompileOptions::libraries is false are generated kernels that sum in the one
// order of sum(). Transposed, sliced and broadcast arguments are read where they lie.

#pragma GCC visibility push(default)
namespace sinter {

/// PyTorch's matmul: the product over the last dim of a and the last but one of b; dims before these are batches and
/// broadcast. A 1-d argument is a row on the left and a column on the right, without that dim in the result. UserError
/// where inner extents or dtypes differ, or an argument has no dims.
Tensor matmul(Operand a, Operand b);
/// [n,i,k] by [n,k,j], without broadcasting.
Tensor bmm(Operand a, Operand b);

/// x [...,in] by weight [out,in] or [in], transposed: [...,out] or [...]. The bias [out] is added before rounding.
Tensor linear(Operand x, Operand weight);
Tensor linear(Operand x, Operand weight, Operand bias);

struct AddmmOptions {
  double beta = 1;   ///< 0: the first argument is not read, so that its NaN do not count
  double alpha = 1;  ///< both must be whole for integers
};
/// beta * c + alpha * (a @ b) of matrices [i,k] and [k,j], in the compute dtype, rounded once; c broadcasts to [i,j].
Tensor addmm(Operand c, Operand a, Operand b, AddmmOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
