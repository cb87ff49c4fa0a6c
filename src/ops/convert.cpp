// SPDX-License-Identifier: Apache-2.0
#include "src/ops/convert.h"

namespace sinter::ops {
namespace {

/// Saturates at the limits of a narrow integer, not at those of its compute type.
loop::Value saturate(loop::Builder& b, loop::Value v, DType to) {
  const DType compute = scalar::compute_type(to);
  v = b.convert(v, compute);
  if (to.bits() == compute.bits()) return v;
  if (!to.is_signed()) return b.min(v, b.constant(compute, (1 << to.bits()) - 1));
  const int past = 1 << (to.bits() - 1);
  return b.max(b.min(v, b.constant(compute, past - 1)), b.constant(compute, -past));
}

}  // namespace

bool holds(DType to, DType from) {
  if (to == from || from.is_boolean()) return true;
  if (to.is_boolean()) return false;
  if (from.is_floating()) return to.is_floating() && to.bits() > from.bits();
  if (to.is_floating()) {
    const int digits = to == f16 ? 11 : to == bf16 ? 8 : to == f32 ? 24 : 53;
    return from.bits() - (from.is_signed() ? 1 : 0) <= digits;
  }
  if (from.is_signed()) return to.is_signed() && to.bits() > from.bits();
  return to.bits() > from.bits();
}

loop::Value convert_value(loop::Builder& b, loop::Value v, DType from, DType to) {
  if (from == to) return v;
  if (to.is_boolean()) return b.ne(v, b.constant(v.type, 0));
  if (from.is_floating() && to.is_integer()) return saturate(b, v, to);
  v = b.convert(v, scalar::compute_type(to));
  return holds(to, from) ? v : b.round_to(v, to);
}

}  // namespace sinter::ops
