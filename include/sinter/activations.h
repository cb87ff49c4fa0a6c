// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Piecewise and gated activations; relu, sigmoid, silu and gelu are in <sinter/pointwise.h>. They take floating dtypes
// unless said otherwise and keep the dtype; f16 and bf16 are computed in f32 and rounded once. NaN stays NaN. Numbers
// enter the arithmetic in f32, beside f64 in f64. UserError for dtypes that an activation refuses.

#pragma GCC visibility push(default)
namespace sinter {

struct LeakyReluOptions {
  double negative_slope = 0.01;
};
/// x where it is positive, otherwise x * negative_slope.
Tensor leaky_relu(Operand x, LeakyReluOptions options = {});
/// leaky_relu with slopes from a tensor of the same dtype: one, or one a channel (dim 1 of x).
Tensor prelu(Operand x, Operand weight);

struct EluOptions {
  double alpha = 1;
};
/// x where it is not negative, otherwise alpha * (exp(x) - 1). In f32 within 1 ulp where alpha is 1.
Tensor elu(Operand x, EluOptions options = {});
/// x where it is not negative, otherwise alpha * (exp(x / alpha) - 1). UserError for alpha 0.
Tensor celu(Operand x, EluOptions options = {});
/// scale * elu(x), with the scale and alpha of self-normalising networks.
Tensor selu(Operand x);

struct HardtanhOptions {
  double min_val = -1;
  double max_val = 1;
};
/// x limited to [min_val, max_val]; also integers, whose bounds drop their fraction. UserError for min_val > max_val.
Tensor hardtanh(Operand x, HardtanhOptions options = {});
/// x limited to [0, 6]; also integers.
Tensor relu6(Operand x);
/// x where it is above `threshold`, otherwise `value`: numbers that fit into the dtype. Also integers.
Tensor threshold(Operand x, Operand threshold, Operand value);

/// relu6(x + 3) / 6
Tensor hardsigmoid(Operand x);
/// x * relu6(x + 3) / 6
Tensor hardswish(Operand x);

struct ShrinkOptions {
  double lambd = 0.5;
};
/// x, but 0 in [-lambd, lambd].
Tensor hardshrink(Operand x, ShrinkOptions options = {});
/// x moved towards 0 by lambd, but 0 in [-lambd, lambd]. UserError for a negative lambd.
Tensor softshrink(Operand x, ShrinkOptions options = {});
/// x - tanh(x); integers give f32.
Tensor tanhshrink(Operand x);
/// x / (|x| + 1); integers give f32, with |x| + 1 in their dtype, where it wraps.
Tensor softsign(Operand x);

/// The first half of x along a dim times the sigmoid of the second half. UserError for an odd extent.
Tensor glu(Operand x, int64_t dim = -1);

}  // namespace sinter
#pragma GCC visibility pop
