// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/exec/library/call.h"

namespace sinter::exec {

/// The call fold_rows, of f32 or f64. Operands: rows [rows, width]; source [count, width]; order [count], the source
/// rows by the row that they are added to, stably; sorted [count], those rows; starts [rows], where the run of each
/// begins in them (count or more: it has none). All dense, indices i64. Result: each row, with the source rows of its
/// run added one after the other.
struct RowFold {
  DType dtype;
  int64_t rows = 0, width = 1, count = 0;
};

inline RowFold row_fold_of(const CallDescription& call) {
  const CallTensor &rows = call.operands.at(0), &source = call.operands.at(1);
  return {rows.dtype, rows.shape[0], rows.shape[1], source.shape[0]};
}

}  // namespace sinter::exec
