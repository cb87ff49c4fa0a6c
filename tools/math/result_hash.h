// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <cstdint>

// Hashes of a function's results, by which two machines compare them without storing or copying any: the sum, modulo
// 2^64, of a mixed word for each result, made of its bits and of a number that says for which arguments it is. A sum of
// integers has no order, so the kernel that computes the function adds the words up as it likes.

namespace sinter::math_tools {

inline constexpr int64_t block_size = int64_t{1} << 24;  ///< results of a hash

/// A bijection of 64-bit words that spreads every bit over all (the finaliser of SplitMix64 with signed shifts).
inline Tensor mixed(Tensor v) {
  v = std::move(v) * static_cast<int64_t>(0x9e3779b97f4a7c15);
  v = v ^ (v >> 29);
  v = std::move(v) * static_cast<int64_t>(0xbf58476d1ce4e5b9);
  return v ^ (v >> 32);
}

/// The hash, i64 [], of results whose arguments are numbered by `keys` (i64, below 2^32). Every NaN counts as one.
inline Tensor result_hash(const Tensor& y, const Tensor& keys, DType dtype) {
  const bool half = dtype.bits() == 16;
  Tensor bits = where(isnan(y), half ? 0x7e00 : 0x7fc00000, view(y, half ? i16 : i32));
  return sum(mixed(to(std::move(bits), i64) ^ (keys << 32)));
}

}  // namespace sinter::math_tools
