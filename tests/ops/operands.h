// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/registry.h"
#include "src/reference/array.h"

namespace sinter::test {

/// Operands of a sampled call: pseudo-random values of its range, the same on every run, with zeros, infinities and NaN
/// among floats where the range is not that of indices.
std::vector<reference::Array> sampled_operands(const graph::SampleCall& call, uint64_t seed);

}  // namespace sinter::test
