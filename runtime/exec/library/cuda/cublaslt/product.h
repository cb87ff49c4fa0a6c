// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/device/cuda/context.h"
#include "runtime/exec/library/gemm.h"
#include "runtime/exec/library/provider.h"

namespace sinter::exec::cublaslt {

/// A handle of the library in a GPU's primary context.
struct Gpu {
  explicit Gpu(int index);
  device::cuda::Context context;
  void* handle = nullptr;
};

/// The call with descriptors and the algorithm that the library's heuristic puts first.
std::shared_ptr<const PreparedCall> prepare_product(const Gpu& gpu, const CallDescription& call);

}  // namespace sinter::exec::cublaslt
