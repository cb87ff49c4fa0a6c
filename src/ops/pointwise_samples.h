// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/graph/registry.h"
#include "src/ops/pointwise.h"

namespace sinter::ops {

/// Sampled call number `variant` of a pointwise op: every dtype alone, pairs of dtypes, 0-d operands, every kind of
/// number in every place, all broadcasts of the shape list, every form; calls the op refuses are left out.
std::optional<graph::SampleCall> pointwise_sample(const Pointwise& op, int variant);

}  // namespace sinter::ops
