// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Pooling over windows of the last one, two or three dims of x [C, ...] or [N, C, ...]. Kernels, strides, paddings,
// dilations and output sizes are structural: one number a dim, or one for all. UserError for windows that do not fit.

#pragma GCC visibility push(default)
namespace sinter {

struct MaxPoolOptions {
  Dims stride = {};        ///< none: the kernel
  Dims padding = {0};      ///< at most half of the kernel; elements there are never the largest
  Dims dilation = {1};     ///< distance of the elements of a window
  bool ceil_mode = false;  ///< also windows that reach past the end, unless they begin there
};
/// The largest element of each window; NaN wins. Every dtype but boolean.
Tensor max_pool1d(Operand x, const Dims& kernel, const MaxPoolOptions& options = {});
Tensor max_pool2d(Operand x, const Dims& kernel, const MaxPoolOptions& options = {});
Tensor max_pool3d(Operand x, const Dims& kernel, const MaxPoolOptions& options = {});

struct AvgPoolOptions {
  Dims stride = {};    ///< none: the kernel
  Dims padding = {0};  ///< zeros, at most half of the kernel
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< false: the mean of what is not padding
  int64_t divisor_override = 0;   ///< what sums are divided by, if not 0
};
/// The mean of each window, of floating dtypes; f16 and bf16 are added up in f32.
Tensor avg_pool1d(Operand x, const Dims& kernel, const AvgPoolOptions& options = {});
Tensor avg_pool2d(Operand x, const Dims& kernel, const AvgPoolOptions& options = {});
Tensor avg_pool3d(Operand x, const Dims& kernel, const AvgPoolOptions& options = {});

/// Windows that divide a dim of L elements into n parts: from i * L / n to (i + 1) * L / n, rounded outwards.
Tensor adaptive_avg_pool1d(Operand x, const Dims& output_size);
Tensor adaptive_avg_pool2d(Operand x, const Dims& output_size);
Tensor adaptive_avg_pool3d(Operand x, const Dims& output_size);
Tensor adaptive_max_pool1d(Operand x, const Dims& output_size);
Tensor adaptive_max_pool2d(Operand x, const Dims& output_size);
Tensor adaptive_max_pool3d(Operand x, const Dims& output_size);

}  // namespace sinter
#pragma GCC visibility pop
