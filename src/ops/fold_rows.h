// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/compose.h"

namespace sinter::ops {

/// rows [rows, width] of f32 or f64 with the rows of source [count, width] added to those at `positions` (i64 [count]),
/// in the order of the source: a stable sort by position, then a fold of each run.
graph::Value fold_rows(Composer& c, graph::Value rows, graph::Value source, graph::Value positions);

}  // namespace sinter::ops
