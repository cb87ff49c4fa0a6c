// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// Hashes of a function's results over all f32, by which two machines compare them without storing 16 GiB: FNV-1a with
// 64 bits over the words of results 2^24 k to 2^24 (k + 1) - 1, the inputs being all bit patterns in order.

namespace sinter::math_tools {

inline constexpr uint64_t block_inputs = uint64_t{1} << 24;
inline constexpr uint64_t block_count = 256;
inline constexpr uint64_t hashes_per_line = 16;  ///< of accuracy.txt

class BlockHash {
 public:
  /// Every NaN counts as one.
  void add(float result) {
    const uint32_t bits = result == result ? std::bit_cast<uint32_t>(result) : 0x7fc00000u;
    hash_ = (hash_ ^ bits) * 0x100000001b3u;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace sinter::math_tools
