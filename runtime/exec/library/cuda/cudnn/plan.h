// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/exec/library/cuda/cudnn/descriptor.h"

namespace sinter::exec::cudnn {

/// What an engine may do to f32 and to sums.
struct Precision {
  bool is_f32 = false;  ///< no engine that rounds f32 operands (TF32)
};

/// An engine that runs an operation graph: the first one of heuristic mode A that the device and the precision allow,
/// else of the fallback list. Passed over are engines whose results differ from run to run, that sum halves in halves,
/// and that transform (FFT, Winograd): a result is a sum of products, exact where these are.
class Plan {
 public:
  /// Throws Refusal if no engine is left.
  Plan(cudnnHandle_t handle, std::span<const Descriptor> operations, const Precision& precision);

  int64_t workspace_bytes() const { return workspace_bytes_; }
  /// Queues the work on the handle's stream; data[i] is the memory of tensor ids[i].
  void run(cudnnHandle_t handle, std::span<const int64_t> ids, std::span<void* const> data, void* workspace) const;

 private:
  bool try_mode(cudnnHandle_t handle, const Descriptor& graph, cudnnBackendHeurMode_t mode, const Precision& precision);

  Descriptor configuration_, plan_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace sinter::exec::cudnn
