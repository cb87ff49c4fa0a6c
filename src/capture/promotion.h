// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "src/capture/region_graph.h"

namespace sinter::capture {

/// Which words of a key become run-time symbols in the next entry.
struct Promotion {
  SymbolMap symbols;
  std::vector<std::pair<int32_t, int32_t>> equal;  ///< positions that share a symbol: guarded to stay equal
};

/// Nothing is promoted but values that differ in every call: they are symbols from the beginning.
Promotion promote_none(size_t key_size, const std::vector<ValueKind>& values);

/// Everything that may be: extents and extent attributes from 2 on, strides of non-contiguous inputs, numbers.
/// Extents 0 and 1 stay: broadcasting and empty tensors are other code.
Promotion promote_all(std::span<const int64_t> key, size_t input_count, const std::vector<ValueKind>& values);

/// What differs between `was` and `now` (same meta words), and what already was a symbol. Words that had equal values
/// in both calls become one symbol, so that [n,3] against [n,1] keeps its relation.
Promotion promote_changes(std::span<const int64_t> was, std::span<const int64_t> was_mask, std::span<const int64_t> now,
                          size_t input_count, const std::vector<ValueKind>& values);

/// Do both keys describe the same inputs but for extents, strides and numbers?
bool same_structure(std::span<const int64_t> a, std::span<const int64_t> b, size_t input_count);

}  // namespace sinter::capture
