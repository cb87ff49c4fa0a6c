// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>

#include <cstdint>
#include <utility>

namespace sinter::tensor {

/// The lowest and the highest element that strides reach, from the first one on; {0, -1} if there is none.
std::pair<int64_t, int64_t> reach(const Dims& shape, const Dims& strides);

/// Do two indices have one address? Exact if the strides of the larger dims step past what the smaller ones span.
bool repeats(const Dims& shape, const Dims& strides);

}  // namespace sinter::tensor
