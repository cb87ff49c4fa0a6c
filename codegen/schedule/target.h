// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "codegen/schedule/fold_strategy.h"

namespace sinter::schedule {

/// What a schedule is made for.
struct Target {
  bool cuda = false;
  int vector_bits = 256;     ///< CPU: native vector width
  int processors = 132;      ///< SMs, or CPU threads
  int64_t shared_bytes = 0;  ///< CUDA: of a block, at most
  int32_t cluster = 1;       ///< CUDA: blocks that can be started together and read each other's shared memory
  bool bulk_copies = false;  ///< CUDA: of runs of memory into shared memory, beside the threads
  bool aligned = true;       ///< every input pointer is 16-byte aligned (outputs and temporaries always are)
  int64_t narrow_index_limit = int64_t{1} << 31;  ///< offsets below it are i32; tests lower it
  FoldStrategy folds = FoldStrategy::automatic;
};

}  // namespace sinter::schedule
