// SPDX-License-Identifier: Apache-2.0
#include "src/ops/checked_position.h"

#include <fmt/format.h>

#include <limits>

namespace sinter::ops {

graph::Expr checked_position(loop::Builder& b, loop::Value index, graph::Expr extent) {
  const loop::Value wide = b.convert(index, i64);
  const loop::Value never = b.i64(std::numeric_limits<int64_t>::max());
  return b.body().to_index(b.select(b.lt(wide, b.i64(0)), never, wide), extent, loop::IndexMode::check);
}

int64_t checked_element(const ReferenceContext& context, size_t operand, const Dims& at, int64_t extent) {
  const int64_t i = scalar::as_int(context.operands[operand].at(at));
  if (i >= 0 && i < extent) return i;
  throw UserError({.op = std::string(context.node.op->name),
                   .what = fmt::format("index {} is out of range for a dim of extent {}", i, extent),
                   .line = context.node.line,
                   .context = {},
                   .fix = "indices are in [0, extent); clamp them first"});
}

}  // namespace sinter::ops
