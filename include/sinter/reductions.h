// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

// Reductions over dims. Floating sums and products have one order of evaluation that depends on the reduced extents
// alone, so results are the same on every device and whatever is fused; f16 and bf16 accumulate in f32.

#pragma GCC visibility push(default)
namespace sinter {

struct ReduceOptions {
  Dims dims = {};        ///< negative dims count from the end; none means all
  bool keepdim = false;  ///< reduced dims stay with extent 1
};

/// Integers and booleans give i64; nothing sums to 0.
Tensor sum(Operand x, ReduceOptions options = {});
/// Integers and booleans give i64; the product of nothing is 1.
Tensor prod(Operand x, ReduceOptions options = {});
/// Largest and smallest element; NaN wins, -0 is below +0. UserError where nothing is reduced to something.
Tensor amax(Operand x, ReduceOptions options = {});
Tensor amin(Operand x, ReduceOptions options = {});
/// sum / count, rounded once; integers and booleans give f32. The mean of nothing is NaN.
Tensor mean(Operand x, ReduceOptions options = {});

/// Is any element, is every element not 0? NaN is not 0. Boolean; u8 gives u8, as in PyTorch. Of nothing: false, true.
Tensor any(Operand x, ReduceOptions options = {});
Tensor all(Operand x, ReduceOptions options = {});
/// How many elements are not 0, in i64.
Tensor count_nonzero(Operand x, ReduceOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
