// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/saved/frozen_call.h"
#include "src/capture/captured_handles.h"
#include "src/capture/frozen_region.h"

namespace sinter::capture {

/// What a capture saw of a result: a value of the region, an argument, another tensor.
struct CapturedResult {
  saved::TensorSource::Kind kind;
  int32_t index = -1;  ///< the value's position among the region's outputs; the argument
  Tensor constant = {};
};

/// A frozen call and the tensors that its constants are.
struct FrozenParts {
  saved::FrozenCall call;
  std::vector<Tensor> constants;
};

/// The call as plain data: it takes what the region's entry takes, but for whatever the host code read.
FrozenParts freeze_call(const FrozenRegion& region, std::span<const Tensor* const> arguments,
                        std::span<const CapturedResult> results, std::span<const CapturedHandles::Read> reads);

}  // namespace sinter::capture
