// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/planted_value.h"

#include "src/graph/seeded_fault.h"

namespace sinter::schedule {
namespace {

using graph::Fault;
using scalar::ScalarOp;
using tile_ir::Value;

bool is_extreme(const loop::Instruction& in) {
  return (in.op == ScalarOp::max || in.op == ScalarOp::min) && in.type.is_floating();
}

Value tied(tile_ir::KernelBuilder& b, ScalarOp op, std::span<const Value> v) {
  const Value other = b.scalar(op == ScalarOp::max ? ScalarOp::min : ScalarOp::max, v);
  const Value choice[] = {b.scalar(ScalarOp::eq, v), other, b.scalar(op, v)};
  return b.scalar(ScalarOp::select, choice);
}

Value without_nan(tile_ir::KernelBuilder& b, ScalarOp op, std::span<const Value> v) {
  const Value choice[] = {b.scalar(ScalarOp::lt, v), op == ScalarOp::max ? v[1] : v[0],
                          op == ScalarOp::max ? v[0] : v[1]};
  return b.scalar(ScalarOp::select, choice);
}

Value integer(tile_ir::KernelBuilder& b, DType type, int64_t n) {
  return b.constant(tile_ir::Type::scalar(type), scalar::constant_int(type, n).bits);
}

Value saturated(tile_ir::KernelBuilder& b, const loop::Instruction& in, Value v) {
  const int bits = in.attribute.bits() - (in.attribute.is_signed() ? 1 : 0);
  const int64_t last = (int64_t{1} << bits) - 1, first = in.attribute.is_signed() ? -last - 1 : 0;
  const Value below[] = {v, integer(b, in.type, last)};
  const Value both[] = {b.scalar(ScalarOp::min, below), integer(b, in.type, first)};
  return b.scalar(ScalarOp::max, both);
}

Value shifted(tile_ir::KernelBuilder& b, const loop::Instruction& in, std::span<const Value> v) {
  const Value count[] = {v[1], integer(b, in.type, in.type.bits() - 1)};
  const Value operands[] = {v[0], b.scalar(ScalarOp::bit_and, count)};
  return b.scalar(in.op, operands);
}

}  // namespace

std::optional<Value> planted_value(tile_ir::KernelBuilder& b, const loop::Instruction& in, std::span<const Value> v) {
  if (in.op == ScalarOp::sub && planted(Fault::swapped_operands)) {
    const Value swapped[] = {v[1], v[0]};
    return b.scalar(in.op, swapped);
  }
  if (is_extreme(in) && planted(Fault::swapped_tie)) return tied(b, in.op, v);
  if (is_extreme(in) && planted(Fault::dropped_nan)) return without_nan(b, in.op, v);
  if (in.op == ScalarOp::round_to && in.attribute.is_integer() && planted(Fault::wrong_wrap))
    return saturated(b, in, v[0]);
  if ((in.op == ScalarOp::shl || in.op == ScalarOp::shr) && planted(Fault::wrong_shift)) return shifted(b, in, v);
  return std::nullopt;
}

}  // namespace sinter::schedule
