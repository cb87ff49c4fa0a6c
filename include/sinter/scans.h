// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/reductions.h>
#include <sinter/tensor.h>

#include <cstdint>

// Scans along one dim: element j of the result, which has the shape of x, combines elements 0 to j of x. A negative dim
// counts from the end; a 0-d tensor has dims 0 and -1 by name; a dim outside [-rank, rank) is a UserError. Floating
// scans have one order of evaluation that depends on j alone, so results are the same on every device and whatever is
// fused; f16 and bf16 accumulate in f32 and are rounded once.

#pragma GCC visibility push(default)
namespace sinter {

/// Sums; floating dtypes keep theirs, integers and booleans give i64.
Tensor cumsum(Operand x, int64_t dim);
/// Products; floating dtypes keep theirs, integers and booleans give i64.
Tensor cumprod(Operand x, int64_t dim);
/// log(sum(exp(x))) without overflow, in the dtype of x: f16, bf16, f32 or f64; others are a UserError.
Tensor logcumsumexp(Operand x, int64_t dim);
/// Largest and smallest elements so far, in the dtype of x, and their indices (i64): the last one where several are
/// equal; NaN wins.
Extreme cummax(Operand x, int64_t dim);
Extreme cummin(Operand x, int64_t dim);

}  // namespace sinter
#pragma GCC visibility pop
