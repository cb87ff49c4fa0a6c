// SPDX-License-Identifier: Apache-2.0
#include "src/loop/builder.h"

namespace sinter::loop {

Value Builder::convert(Value a, DType t) { return op(ScalarOp::convert, {a}, scalar::compute_type(t)); }

Value Builder::round_to(Value a, DType t) { return op(ScalarOp::round_to, {a}, t); }

Value Builder::cast(Value a, DType t) {
  // A double becomes f16 or bf16 through f32, as everywhere else.
  const Value v = convert(a, t);
  if (t.is_integer() && t.bits() < 32 && a.type.is_floating()) {
    // Saturate at the narrow type's limits, not at those of its compute type.
    const DType c = scalar::compute_type(t);
    const int64_t lo = t.is_signed() ? -(int64_t{1} << (t.bits() - 1)) : 0;
    const int64_t hi = t.is_signed() ? (int64_t{1} << (t.bits() - 1)) - 1 : (int64_t{1} << t.bits()) - 1;
    Value limited = min(v, body_->constant(scalar::constant_int(c, hi)));
    if (t.is_signed()) limited = max(limited, body_->constant(scalar::constant_int(c, lo)));
    return limited;
  }
  return round_to(v, t);
}

}  // namespace sinter::loop
