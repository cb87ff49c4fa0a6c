// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/exec/library/call.h"

namespace sinter::exec {

/// The calls argsort and topk: for each row of the operand (its last dim, dense) the positions in their order, all or
/// the first ones, as i64. Equal elements keep their order; -0 equals 0; NaN is larger than every number.
struct RowSort {
  DType dtype;
  int64_t rows = 1, length = 1;
  bool descending = false;
  int64_t kept = 1;  ///< of each row
};

bool is_row_sort(std::string_view op);
RowSort row_sort_of(const CallDescription& call);

/// An element's bits as an unsigned integer whose order is the ascending or the descending one.
class SortKey {
 public:
  SortKey(DType dtype, bool descending);
  uint64_t operator()(uint64_t bits) const {
    if (!floating_) return (bits ^ flipped_) ^ complement_;
    const uint64_t magnitude = bits & ~sign_;
    const uint64_t ordered = (bits & sign_) != 0 ? ~bits & mask_ : bits | sign_;
    return (magnitude > infinity_ ? mask_ : magnitude == 0 ? sign_ : ordered) ^ complement_;
  }

 private:
  uint64_t mask_, sign_, infinity_, flipped_, complement_;
  bool floating_;
};

}  // namespace sinter::exec
