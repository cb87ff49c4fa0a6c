// SPDX-License-Identifier: Apache-2.0
#include "src/ops/bounds.h"

#include <limits>

namespace sinter::ops {

DType index_type(graph::Expr extent) {
  const auto literal = extent.constant();
  return literal && *literal < std::numeric_limits<int32_t>::max() / 2 ? i32 : i64;
}

loop::Value not_negative(loop::Builder& b, graph::Expr index, graph::Expr extent) {
  const DType t = index_type(extent);
  return b.le(b.constant(t, 0), b.body().index_value(index, t));
}

loop::Value below(loop::Builder& b, graph::Expr index, graph::Expr extent) {
  const DType t = index_type(extent);
  return b.lt(b.body().index_value(index, t), b.body().index_value(extent, t));
}

loop::Value within(loop::Builder& b, graph::Expr index, graph::Expr extent) {
  return b.bit_and(not_negative(b, index, extent), below(b, index, extent));
}

loop::Value below(loop::Builder& b, graph::Expr index, graph::Expr extent, graph::Expr reach) {
  const DType t = index_type(reach);
  return b.lt(b.body().index_value(index, t), b.body().index_value(extent, t));
}

loop::Value within(loop::Builder& b, graph::Expr index, graph::Expr extent, graph::Expr reach) {
  return b.bit_and(not_negative(b, index, reach), below(b, index, extent, reach));
}

}  // namespace sinter::ops
