// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Convolution (cross-correlation, as networks use it) and the normalisation that follows it.
//
// f32, f16 and bf16 go to cuDNN on CUDA and to oneDNN on the CPU where those are found; everything else, and what they
// refuse, is a generated kernel. f16 and bf16 accumulate in f32. A generated kernel sums the products of an element in
// the canonical order over (channel, kernel index); a library sums them in an order of its own, so that its results may
// differ in the last places.

#pragma GCC visibility push(default)
namespace sinter {

struct ConvOptions {
  Dims stride = {1};    ///< for all dims, or one each
  Dims padding = {0};   ///< zeros around the input: for all dims, one each, or two each (before, after) in dim order
  Dims dilation = {1};  ///< distance of kernel elements: for all dims, or one each
  int64_t groups = 1;   ///< channels are split into groups that do not see each other
};

/// x [N,C,L] or [C,L], w [M, C / groups, K], b [M] or an undefined tensor for none: [N,M,O] or [M,O] with
/// O = (L + padding - dilation * (K - 1) - 1) / stride + 1 in every dim. All of one dtype, integers included (they
/// wrap). UserError where channels or groups do not fit, and where the kernel is larger than the padded input.
/// A result is channels-last where x or w is, as in PyTorch.
Tensor conv1d(Operand x, Operand w, ConvOptions options = {});
Tensor conv1d(Operand x, Operand w, Operand b, ConvOptions options = {});
/// The same for x [N,C,H,W] or [C,H,W].
Tensor conv2d(Operand x, Operand w, ConvOptions options = {});
Tensor conv2d(Operand x, Operand w, Operand b, ConvOptions options = {});
/// The same for x [N,C,D,H,W] or [C,D,H,W].
Tensor conv3d(Operand x, Operand w, ConvOptions options = {});
Tensor conv3d(Operand x, Operand w, Operand b, ConvOptions options = {});

struct BatchNormOptions {
  Tensor weight = {};  ///< [C]; undefined: 1
  Tensor bias = {};    ///< [C]; undefined: 0
  double eps = 1e-5;
};

/// Inference: (x - mean) * (weight / sqrt(var + eps)) + bias with mean, var [C] for dim 1 of x [N,C,...]. Computed in
/// f32 (f64 for f64) and rounded once to the dtype of x; the others are of that dtype or, for f16 and bf16, all f32.
Tensor batch_norm(Operand x, Operand mean, Operand var, BatchNormOptions options = {});
Tensor batch_norm(Operand x, Operand mean, Operand var, Operand weight, Operand bias, double eps = 1e-5);

}  // namespace sinter
#pragma GCC visibility pop
