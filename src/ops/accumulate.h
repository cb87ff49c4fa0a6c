// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/compose.h"

namespace sinter::ops {

/// `size` elements, each the fold of the values (i32, u32, i64, u64) whose position (i64, of the same shape) it is; the
/// fold's identity where there are none. sum, amax and amin of integers do not depend on an order.
graph::Value accumulate(Composer& c, graph::ReduceKind fold, graph::Value values, graph::Value positions,
                        graph::Expr size);

/// Attributes of a recorded call that adds.
graph::CallAttributes accumulate_sums(int64_t size);

}  // namespace sinter::ops
