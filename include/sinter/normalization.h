// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

// Softmax and layers that normalise by statistics of their input. All take floating dtypes and keep them; f16 and bf16
// are computed in f32 and rounded once. Results depend on no schedule and no device: folds have the order of sum().
// They are compositions of folds, which one kernel does where a row is short enough to be read again
// (docs/semantics.md). UserError for other dtypes and for shapes that do not fit.

#pragma GCC visibility push(default)
namespace sinter {

/// exp(x - m) / sum(exp(x - m)) over a dim, m its largest element. Rows of -inf alone, with +inf or NaN are NaN.
Tensor softmax(Operand x, int64_t dim);
/// (x - m) - log(sum(exp(x - m))) over a dim.
Tensor log_softmax(Operand x, int64_t dim);

struct LayerNormOptions {
  Tensor weight = {};  ///< [normalized_shape], of the dtype of x or f32; undefined: 1
  Tensor bias = {};    ///< the same; undefined: 0
  double eps = 1e-5;
};
/// (x - mean) * rsqrt(var + eps) * weight + bias, statistics over the last dims, whose extents are given.
Tensor layer_norm(Operand x, const Dims& normalized_shape, const LayerNormOptions& options = {});

struct RmsNormOptions {
  Tensor weight = {};  ///< [normalized_shape], of the dtype of x or f32; undefined: 1
  std::optional<double> eps =
      std::nullopt;  ///< if none is given, 2^-23, the spacing of f32 at 1; for f64 its own, 2^-52
};
/// x * rsqrt(mean(x * x) + eps) * weight, the mean over the last dims, whose extents are given.
Tensor rms_norm(Operand x, const Dims& normalized_shape, const RmsNormOptions& options = {});

struct GroupNormOptions {
  Tensor weight = {};  ///< [C], of the dtype of x or f32; undefined: 1
  Tensor bias = {};    ///< [C]
  double eps = 1e-5;
};
/// layer_norm over groups of the C channels of x [N, C, ...] and all dims behind, with one weight a channel.
Tensor group_norm(Operand x, int64_t num_groups, const GroupNormOptions& options = {});
/// The same with each channel of each sample for itself. UserError where it has one element.
Tensor instance_norm(Operand x, const GroupNormOptions& options = {});

struct BatchNormTrainingOptions {
  Tensor weight = {};        ///< [C], of the dtype of x or f32; undefined: 1
  Tensor bias = {};          ///< [C]
  Tensor running_mean = {};  ///< [C]
  Tensor running_var = {};   ///< [C]
  double momentum = 0.1;
  double eps = 1e-5;
};
struct BatchNormTraining {
  Tensor output;
  Tensor running_mean;  ///< (1 - momentum) * old + momentum * mean; undefined without old ones
  Tensor running_var;   ///< the same of the unbiased variance
};
/// Batch normalisation of x [N, C, ...] by the mean and variance of this batch, a channel at a time. The running
/// statistics are returned, not updated in place. UserError where a channel has one element.
BatchNormTraining batch_norm_training(Operand x, const BatchNormTrainingOptions& options = {});

}  // namespace sinter
#pragma GCC visibility pop
