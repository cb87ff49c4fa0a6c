// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/tile/laid_out.h"

namespace sinter::cuda {

/// CUDA C of one kernel: complete, without includes.
struct CudaText {
  std::string text;
  std::string entry;
  int threads = 128;
  int shared_bytes = 0;          ///< static; for reports
  int dynamic_shared_bytes = 0;  ///< to be asked for at launch
};

/// Prints a laid-out kernel. Knows tile ops only. Throws CompileError for what a kernel cannot hold (shared memory over
/// 48 KiB for what threads exchange, 227 KiB in all). `exchanges_wait` is false where tests plant a miscompile: shared
/// memory is written again at once.
CudaText emit(const tile_ir::LaidOutKernel& kernel, bool exchanges_wait = true);

}  // namespace sinter::cuda
