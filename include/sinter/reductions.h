// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

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

/// log(sum(exp(x))) without overflow; integers and booleans give f32. -inf where all elements are, and for nothing.
Tensor logsumexp(Operand x, ReduceOptions options = {});

struct VarOptions {
  Dims dims = {};         ///< negative dims count from the end; none means all
  double correction = 1;  ///< degrees of freedom that the mean costs: the divisor is max(count - correction, 0)
  bool keepdim = false;
};
/// Variance, and its square root, of floating dtypes: the mean, then the sum of squared deviations, both in f64
/// whatever the dtype, rounded once. NaN for nothing, and for one element with a correction of 1.
Tensor var(Operand x, VarOptions options = {});
Tensor std(Operand x, VarOptions options = {});
struct VarMean {
  Tensor var;  ///< or its square root
  Tensor mean;
};
VarMean var_mean(Operand x, VarOptions options = {});
VarMean std_mean(Operand x, VarOptions options = {});

struct NormOptions {
  double p = 2;  ///< any number, infinities too
  Dims dims = {};
  bool keepdim = false;
};
/// sum(|x|^p)^(1/p) of floating dtypes; p = 0 counts what is not 0, infinities give the largest and smallest |x|. The
/// norm of nothing is 0; UserError for a negative or infinite p there.
Tensor vector_norm(Operand x, NormOptions options = {});

struct ArgOptions {
  std::optional<int64_t> dim = std::nullopt;  ///< none: the index in row-major order among all elements
  bool keepdim = false;
};
/// Index (i64) of the largest and smallest element: the first where several are; NaN wins. UserError where nothing is
/// reduced to something.
Tensor argmax(Operand x, ArgOptions options = {});
Tensor argmin(Operand x, ArgOptions options = {});
struct Extreme {
  Tensor values;   ///< as amax and amin give them
  Tensor indices;  ///< as argmax and argmin give them
};
Extreme max(Operand x, int64_t dim, bool keepdim = false);
Extreme min(Operand x, int64_t dim, bool keepdim = false);

/// Is any element, is every element not 0? NaN is not 0. Boolean; u8 gives u8, as in PyTorch. Of nothing: false, true.
Tensor any(Operand x, ReduceOptions options = {});
Tensor all(Operand x, ReduceOptions options = {});
/// How many elements are not 0, in i64.
Tensor count_nonzero(Operand x, ReduceOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
