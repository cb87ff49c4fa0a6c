// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "src/capture/region_end.h"
#include "src/tensor/impl.h"

namespace sinter::capture {

/// A region whose host code will not run again: how to run it for other arguments.
struct FrozenRegion {
  const TraceNode* last = nullptr;
  RegionEnd* end = nullptr;
  OutputSet* set = nullptr;
  Entry* entry = nullptr;  ///< null if nothing is computed
  /// Slots of the results, ascending. `set` has them, and values that they are views of together.
  std::vector<int32_t> wanted;
  std::vector<Tensor> inputs;      ///< on `device`
  std::vector<int32_t> arguments;  ///< of each input: the argument that it is, or -1
  std::vector<bool> generator;     ///< of each input: the state that random numbers are drawn from
  std::vector<bool> moved;         ///< of each input: a row-major copy of it was made on `device`
  std::vector<int64_t> key;
  Device device;
};

}  // namespace sinter::capture
