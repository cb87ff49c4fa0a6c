// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/exec/library/convolution_call.h"
#include "runtime/exec/library/onednn/handles.h"
#include "runtime/exec/library/provider.h"

namespace sinter::exec::onednn {

/// A convolution with its bias. Weights are brought into the layout that the primitive likes on every run.
class Convolution final : public PreparedCall {
 public:
  /// Throws Refusal.
  explicit Convolution(const ConvolutionCall& call);
  size_t workspace_bytes() const override { return scratch_at_ + bytes_or_0(scratch_); }
  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle stream) const override;

 private:
  static size_t bytes_or_0(MemoryDescView desc) { return desc == nullptr ? 0 : bytes(desc); }
  MemoryDesc x_, w_, bias_, y_;
  bool has_bias_;
  PrimitiveDesc desc_;
  Primitive convolution_, reorder_;  ///< reorder_: none where the primitive takes weights as they are
  MemoryDescView weights_ = nullptr, scratch_ = nullptr;  ///< of desc_
  size_t scratch_at_ = 0;
};

}  // namespace sinter::exec::onednn
