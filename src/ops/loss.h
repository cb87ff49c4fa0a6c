// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/losses.h>

#include "src/ops/compose.h"
#include "src/reference/array.h"

// What losses share: how those of all elements become a result.

namespace sinter::ops {

graph::Param reduction_param();

/// Fails for a batch mean, which is kl_div's alone.
void refuse_batch_mean(const graph::InferContext& context, Reduction reduction);

/// The result's shape: that of the losses, or none.
std::vector<graph::Expr> reduced_loss_shape(std::vector<graph::Expr> losses, Reduction reduction);

/// `batch` is the extent that a batch mean divides by.
graph::Value reduced_loss(Composer& c, graph::Value losses, Reduction reduction, graph::Expr batch = 1);
reference::Array reduced_loss(const reference::Array& losses, Reduction reduction, int64_t batch = 1);

/// The sum of an array of f32 or f64, as a 0-d array.
reference::Array sum_of(const reference::Array& x);

}  // namespace sinter::ops
