// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace sinter::device {

/// Sizes that blocks of memory come in. A class is found from the number of bytes alone, so a freed block needs no
/// record.
struct SizeClass {
  size_t index = 0;
  size_t bytes = 0;  ///< a multiple of the granularity, at least what was asked

  static constexpr size_t granularity = 64;
  /// Indices are below this, for sizes up to 2^48.
  static constexpr size_t count = 49 * 32;
};

/// The class of a size: 8 classes for each doubling (at most 12.5 % more than asked), from 16 MiB on 32 (at most 3.2
/// %). 0 bytes are as 1.
constexpr SizeClass size_class(size_t bytes) {
  bytes = (std::max(bytes, size_t{1}) + SizeClass::granularity - 1) / SizeClass::granularity * SizeClass::granularity;
  const auto exponent = static_cast<size_t>(std::bit_width(bytes - 1));  // 2^(exponent-1) < bytes <= 2^exponent
  const size_t base = size_t{1} << (exponent - 1);
  const size_t steps = exponent > 24 ? 32 : 8;
  const size_t step = base / steps;
  const size_t k = (bytes - base + step - 1) / step;  // 1 .. steps
  return {exponent * 32 + (k - 1) * (32 / steps), base + k * step};
}

/// Size of the blocks of the class with this index.
constexpr size_t size_class_bytes(size_t index) {
  const size_t exponent = index / 32, base = size_t{1} << (exponent - 1);
  const size_t steps = exponent > 24 ? 32 : 8;
  return base + (index % 32 / (32 / steps) + 1) * (base / steps);
}

}  // namespace sinter::device
