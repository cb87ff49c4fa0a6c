// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Losses. They take floating dtypes (class indices besides), which promote; f16 and bf16 are computed and added up in
// f32 and rounded once. Shapes broadcast where two tensors meet element by element. UserError for dtypes and shapes
// that do not fit.

#pragma GCC visibility push(default)
namespace sinter {

/// What becomes of the losses of all elements.
enum class Reduction : uint8_t {
  none,        ///< they are the result
  mean,        ///< their sum by their number (weighted: by the sum of weights); NaN of nothing
  sum,         ///< in the order of sum()
  batch_mean,  ///< their sum by the extent of dim 0; kl_div alone
};

struct LossOptions {
  Reduction reduction = Reduction::mean;
};
/// (x - target)^2
Tensor mse_loss(Operand x, Operand target, LossOptions options = {});
/// |x - target|
Tensor l1_loss(Operand x, Operand target, LossOptions options = {});

struct SmoothL1Options {
  Reduction reduction = Reduction::mean;
  double beta = 1;  ///< 0: l1_loss; UserError below
};
/// With d = |x - target|: d * d / (2 * beta) below beta, else d - beta / 2.
Tensor smooth_l1_loss(Operand x, Operand target, SmoothL1Options options = {});

struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;  ///< UserError unless positive
};
/// With d = |x - target|: d * d / 2 up to delta, else delta * (d - delta / 2).
Tensor huber_loss(Operand x, Operand target, HuberOptions options = {});

struct BinaryCrossEntropyOptions {
  Tensor weight = {};      ///< of each loss; broadcasts
  Tensor pos_weight = {};  ///< of the target's share; binary_cross_entropy_with_logits alone
  Reduction reduction = Reduction::mean;
};
/// -(target * log(x) + (1 - target) * log(1 - x)), logarithms not below -100; x in [0, 1], else NaN.
Tensor binary_cross_entropy(Operand x, Operand target, const BinaryCrossEntropyOptions& options = {});
/// The same of sigmoid(x), accurate for every x: (1 - target) * x - (1 + (pos_weight - 1) * target) * log_sigmoid(x).
Tensor binary_cross_entropy_with_logits(Operand x, Operand target, const BinaryCrossEntropyOptions& options = {});

struct KlDivOptions {
  Reduction reduction = Reduction::mean;
  bool log_target = false;
};
/// target * (log(target) - x), 0 where target is; of a target given as logarithm, exp(target) * (target - x).
Tensor kl_div(Operand x, Operand target, KlDivOptions options = {});

struct NllOptions {
  Tensor weight = {};           ///< [C], of the dtype of x
  int64_t ignore_index = -100;  ///< targets that count nothing
  Reduction reduction = Reduction::mean;
};
/// -weight[target] * x[target], x [C] or [N, C, ...] of logarithms of probabilities, target of i64 without the dim of
/// classes. A target outside [0, C) is an error as in <sinter/indexing.h>.
Tensor nll_loss(Operand x, Operand target, const NllOptions& options = {});

struct CrossEntropyOptions {
  Tensor weight = {};           ///< [C], of the dtype of x
  int64_t ignore_index = -100;  ///< class indices that count nothing
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;  ///< in [0, 1], spread over all classes; UserError outside
};
/// nll_loss of log_softmax(x) over the dim of classes. A floating target of the shape of x holds probabilities.
Tensor cross_entropy(Operand x, Operand target, const CrossEntropyOptions& options = {});

}  // namespace sinter
#pragma GCC visibility pop
