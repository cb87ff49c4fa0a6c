// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/loop/body.h"

namespace sinter::loop {

/// How a scan combines an earlier element with a later one, as a body: a load of buffer k < types.size() stands for
/// value k of the earlier element, one of buffer types.size() + k for that of the later one.
struct ScanCombine {
  std::vector<DType> types;  ///< compute types of an element's values: one, or an element and its position
  Body body;
  std::vector<ValueId> results;              ///< the combination's values
  std::vector<scalar::Constant> identities;  ///< of the earlier element, changes no bit of the later one
};

/// `type` is the compute type of the elements.
ScanCombine scan_combine(ScanKind kind, DType type);

/// Sizes of the canonical order of scans; they hold for every length and type.
inline constexpr int scan_chunk_bits = 13;
inline constexpr int64_t scan_chunk = int64_t{1} << scan_chunk_bits;

/// Scans sequences in place, one for each value of an element, in the canonical order: chunks of 8192; inside, for k =
/// 0 to 12, each j with bit k set becomes combine(value at ((j >> k) << k) - 1, itself); what a chunk ends with
/// combines with the chunks before it from left to right.
void canonical_scan(const ScanCombine& combine, std::span<std::vector<scalar::Constant>> values);

}  // namespace sinter::loop
