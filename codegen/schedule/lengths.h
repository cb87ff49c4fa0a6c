// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sinter::schedule {

/// Stands for a length that is known at run time only.
constexpr int64_t unknown_length = int64_t{1} << 40;

/// The power of two that covers n elements.
inline int32_t covering(int64_t n) {
  return static_cast<int32_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 1, 1 << 30))));
}

}  // namespace sinter::schedule
