// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/ops/compose.h"

namespace sinter::ops {

/// An unsigned integer that orders elements with their positions along a dim: the value above, of equal ones the first
/// position. The largest key of a row is that of the element which argmax or argmin names, and any order of folding
/// finds it. Values of up to 32 bits fit; below them `position_bits` hold the position, counted down.
struct KeyForm {
  DType type;  ///< u32 or u64
  int position_bits = 0;
};

/// The narrowest form for elements of a dtype, along a dim of `longest` elements at most; none if no form holds them.
std::optional<KeyForm> key_form(DType element, int64_t longest);

/// The keys of x along a dim. `largest`: the order of argmax, else that of argmin.
graph::Value extreme_keys(Composer& c, graph::Value x, size_t dim, bool largest, const KeyForm& form);
/// The positions in keys, as i64.
graph::Value positions_in(Composer& c, graph::Value keys, const KeyForm& form);

}  // namespace sinter::ops
