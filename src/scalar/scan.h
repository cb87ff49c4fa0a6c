// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "src/scalar/scalar_ops.h"

namespace sinter::scalar {

/// What a scan combines with: element j of the result is the combination of elements 0 to j.
enum class ScanKind : uint8_t {
  sum,
  prod,
  amax,       ///< the largest; of equal ones the last, NaN above all: the element that argmax names, bit for bit
  amin,       ///< the smallest, likewise
  logaddexp,  ///< log(exp(a) + exp(b)) of floats, without overflow
  argmax,     ///< of (element, position): the position of the largest
  argmin,     ///< of the smallest
};

inline constexpr std::string_view scan_kind_names[] = {"sum", "prod", "amax", "amin", "logaddexp", "argmax", "argmin"};

/// Does it scan pairs of an element and its position (i64)?
constexpr bool scans_pairs(ScanKind kind) { return kind == ScanKind::argmax || kind == ScanKind::argmin; }

/// Combined with an element as the earlier one, it changes no bit of that: -0.0 for floating sums, -inf for largest
/// ones and logaddexp.
Constant scan_identity(ScanKind kind, DType type);

}  // namespace sinter::scalar
