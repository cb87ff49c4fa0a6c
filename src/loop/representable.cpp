// SPDX-License-Identifier: Apache-2.0
#include "src/loop/representable.h"

namespace sinter::loop {
namespace {

/// Chains of choices are followed this far; what lies deeper is rounded again, which is correct and costs little.
constexpr int max_depth = 6;

bool is_rounded(const Body& body, ValueId value, DType storage, int depth);

bool choice_is_rounded(const Body& body, const Instruction& in, size_t first, DType storage, int depth) {
  for (size_t i = first; i < in.operands.size(); ++i)
    if (in.operands[i] >= 0 && !is_rounded(body, in.operands[i], storage, depth - 1)) return false;
  return true;
}

bool scalar_is_rounded(const Body& body, const Instruction& in, DType storage, int depth) {
  switch (in.op) {
    case ScalarOp::round_to:
      return holds_exactly(storage, in.attribute);
    case ScalarOp::min:
    case ScalarOp::max:
      return choice_is_rounded(body, in, 0, storage, depth);
    case ScalarOp::select:
    case ScalarOp::rare:
      return choice_is_rounded(body, in, 1, storage, depth);
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::trunc:
    case ScalarOp::round_even:
      return storage.is_floating() && is_rounded(body, in.operands[0], storage, depth - 1);
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      return choice_is_rounded(body, in, 0, storage, depth);
    case ScalarOp::convert: {
      const Instruction& from = body[in.operands[0]];
      if (from.type.is_boolean()) return true;
      return from.kind == InstructionKind::load && holds_exactly(storage, from.attribute);
    }
    default:
      return false;
  }
}

bool is_rounded(const Body& body, ValueId value, DType storage, int depth) {
  const Instruction& in = body[value];
  if (in.type == storage || in.type.is_boolean()) return true;
  if (depth == 0) return false;
  switch (in.kind) {
    case InstructionKind::constant: {
      const scalar::Constant c{in.type, in.bits};
      return scalar::compute_type(storage) == in.type && scalar::evaluate(ScalarOp::round_to, {{c}}, storage) == c;
    }
    case InstructionKind::load: {
      const bool fill = in.operands[1] < 0 || is_rounded(body, in.operands[1], storage, depth - 1);
      return fill && holds_exactly(storage, in.attribute);
    }
    case InstructionKind::scan:  // chooses one of its elements
      return (in.id == static_cast<int>(ScanKind::amax) || in.id == static_cast<int>(ScanKind::amin)) &&
             is_rounded(body, in.operands[0], storage, depth - 1);
    case InstructionKind::scalar:
      return scalar_is_rounded(body, in, storage, depth);
    default:
      return false;
  }
}

int significant_bits(DType t) { return t == f16 ? 11 : t == bf16 ? 8 : t == f32 ? 24 : 53; }

}  // namespace

bool holds_exactly(DType to, DType from) {
  if (to == from || from.is_boolean()) return true;
  if (to.is_boolean()) return false;
  if (from.is_floating()) return to.is_floating() && to.bits() > from.bits();
  const int digits = from.bits() - (from.is_signed() ? 1 : 0);
  if (to.is_floating()) return digits <= significant_bits(to);
  if (from.is_signed()) return to.is_signed() && to.bits() >= from.bits();
  return to.is_signed() ? to.bits() > from.bits() : to.bits() >= from.bits();
}

bool is_representable(const Body& body, ValueId value, DType storage) {
  return is_rounded(body, value, storage, max_depth);
}

}  // namespace sinter::loop
