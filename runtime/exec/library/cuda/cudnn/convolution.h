// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "runtime/exec/library/call.h"
#include "runtime/exec/library/convolution_call.h"
#include "runtime/exec/library/cuda/cudnn/plan.h"

namespace sinter::exec::cudnn {

/// A convolution with bias and activation as one operation graph; where cuDNN has no engine for that, the convolution
/// alone and then the rest in place (the sum is then rounded to the result's dtype before the bias is added).
class Convolution {
 public:
  /// Throws Refusal if cuDNN has no engine for the convolution.
  Convolution(cudnnHandle_t handle, const ConvolutionCall& call);

  size_t workspace_bytes() const;
  /// x, w, bias (or none), y.
  void run(cudnnHandle_t handle, std::span<void* const> operands, void* y, void* workspace) const;
  bool is_fused() const { return !rest_; }

 private:
  bool has_bias_;
  std::optional<Plan> first_, rest_;
};

}  // namespace sinter::exec::cudnn
