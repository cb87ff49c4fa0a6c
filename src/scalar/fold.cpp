// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/fold.h"

#include <limits>

namespace sinter::scalar {
namespace {

Constant lowest(DType t) {
  if (t.is_floating()) return constant_of(t, -std::numeric_limits<double>::infinity());
  if (t.is_boolean() || !t.is_signed()) return {t, 0};
  return constant_int(t, t.bits() == 32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min());
}

Constant highest(DType t) {
  if (t.is_floating()) return constant_of(t, std::numeric_limits<double>::infinity());
  if (t.is_boolean()) return constant_bool(true);
  if (!t.is_signed()) return constant_int(t, -1);
  return constant_int(t, t.bits() == 32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max());
}

}  // namespace

ScalarOp fold_op(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return ScalarOp::add;
    case ReduceKind::prod:
      return ScalarOp::mul;
    case ReduceKind::amax:
      return ScalarOp::max;
    case ReduceKind::amin:
      break;
  }
  return ScalarOp::min;
}

Constant reduction_identity(ReduceKind kind, DType t) {
  switch (kind) {
    case ReduceKind::sum:
      return constant_of(t, 0);
    case ReduceKind::prod:
      return constant_of(t, 1);
    case ReduceKind::amax:
      return lowest(t);
    case ReduceKind::amin:
      break;
  }
  return highest(t);
}

Constant reduction_padding(ReduceKind kind, DType t) {
  return kind == ReduceKind::sum && t.is_floating() ? constant_of(t, -0.0) : reduction_identity(kind, t);
}

}  // namespace sinter::scalar
