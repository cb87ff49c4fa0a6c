// SPDX-License-Identifier: Apache-2.0
#include "src/ops/float_operand.h"

#include <fmt/format.h>

#include "src/ops/describe.h"

namespace sinter::ops {

void require_floating(const graph::InferContext& context, size_t operand) {
  const graph::ValueType& x = context.operand(operand);
  if (!x.dtype.is_floating())
    context.fail(fmt::format("expected a floating dtype, got {}", describe(x)), "cast with to(t, f32)");
}

void require_operands(const graph::InferContext& context, size_t count) {
  if (context.operand_count() != count)
    context.fail(fmt::format("{} operands, where the attributes say {}", context.operand_count(), count));
}

void require_parameter(graph::InferContext& context, size_t operand, std::string_view name,
                       std::span<const graph::Expr> shape) {
  const graph::ValueType& p = context.operand(operand);
  const DType dtype = context.operand(0).dtype;
  bool fits = p.shape.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = context.same_extent(p.shape[d], shape[d]);
  if (!fits) context.fail(fmt::format("expected a {} of shape {}, got {}", name, describe(shape), describe(p)));
  if (p.dtype != dtype && !(p.dtype == f32 && dtype != f64))
    context.fail(fmt::format("expected a {} of {} or f32, got {}", name, dtype.name(), describe(p)),
                 "cast it with to(t, dtype)");
}

}  // namespace sinter::ops
