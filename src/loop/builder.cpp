// SPDX-License-Identifier: Apache-2.0
#include "src/loop/builder.h"

namespace sinter::loop {

Value Builder::convert(Value a, DType t) { return op(ScalarOp::convert, {a}, scalar::compute_type(t)); }

Value Builder::round_to(Value a, DType t) { return op(ScalarOp::round_to, {a}, t); }

Value Builder::cast(Value a, DType t) {
  if (t.is_boolean()) return ne(a, constant(a.type, 0));
  return round_to(convert(a, t), t);
}

}  // namespace sinter::loop
