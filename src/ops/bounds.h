// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::ops {

/// i32 where every value up to the extent fits, else i64.
DType index_type(graph::Expr extent);

/// 0 <= index, and index < extent, as boolean values; the index may be anywhere in [-extent, 2 * extent].
loop::Value not_negative(loop::Builder& b, graph::Expr index, graph::Expr extent);
loop::Value below(loop::Builder& b, graph::Expr index, graph::Expr extent);
/// 0 <= index < extent
loop::Value within(loop::Builder& b, graph::Expr index, graph::Expr extent);
/// The same for an index that may be anywhere in [-2 * reach, 2 * reach].
loop::Value below(loop::Builder& b, graph::Expr index, graph::Expr extent, graph::Expr reach);
loop::Value within(loop::Builder& b, graph::Expr index, graph::Expr extent, graph::Expr reach);

}  // namespace sinter::ops
