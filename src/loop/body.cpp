// SPDX-License-Identifier: Apache-2.0
#include "src/loop/body.h"

#include <fmt/format.h>
#include <sinter/error.h>

namespace sinter::loop {
namespace {

size_t mixed(size_t h, size_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u + (h >> 31); }

size_t hash_of(const Instruction& in) {
  size_t h = mixed(static_cast<size_t>(in.kind), static_cast<size_t>(in.op));
  for (DType t : {in.type, in.attribute}) h = mixed(h, static_cast<size_t>(t.kind()) * 256 + static_cast<size_t>(t.bits()));
  for (ValueId v : in.operands) h = mixed(h, static_cast<size_t>(v));
  h = mixed(mixed(h, in.bits), static_cast<size_t>(in.id));
  for (Expr e : in.index) h = mixed(h, e.hash());
  return h;
}

bool is_constant(const Instruction& in) { return in.kind == InstructionKind::constant; }

/// Does `storage` already hold every value that was rounded to `from`?
bool holds(DType storage, DType from) {
  if (storage == from) return true;
  if (storage == scalar::compute_type(storage)) return true;
  return storage.is_integer() && from.is_integer() && storage.is_signed() == from.is_signed() && from.bits() <= storage.bits();
}

}  // namespace

Value Body::add(Instruction in) {
  const size_t h = hash_of(in);
  auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if ((*this)[it->second] == in) return {it->second, in.type};
  const auto id = static_cast<ValueId>(instructions_.size());
  const DType t = in.type;
  instructions_.push_back(std::move(in));
  by_hash_.emplace(h, id);
  return {id, t};
}

Value Body::constant(scalar::Constant c) {
  Instruction in{.kind = InstructionKind::constant, .type = c.dtype, .attribute = {}};
  in.bits = c.bits;
  return add(std::move(in));
}

Value Body::number(int symbol, DType type) {
  Instruction in{.kind = InstructionKind::number, .type = type, .attribute = {}};
  in.id = symbol;
  return add(std::move(in));
}

Value Body::scalar(ScalarOp op, std::span<const Value> operands, DType attribute) {
  std::array<DType, 3> types;
  std::array<scalar::Constant, 3> constants;
  Instruction in{.kind = InstructionKind::scalar, .op = op, .type = {}, .attribute = attribute};
  bool all_constant = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    types[i] = operands[i].type;
    in.operands[i] = operands[i].id;
    const Instruction& o = (*this)[operands[i].id];
    all_constant = all_constant && is_constant(o);
    constants[i] = {o.type, o.bits};
  }
  const auto type = scalar::result_type(op, {types.data(), operands.size()}, attribute);
  if (!type)
    throw CompileError(fmt::format("internal: scalar op {} does not take {}", scalar::info(op).name, types[0].name()));
  // Approximations differ between devices: never folded.
  const bool approximate = op >= ScalarOp::ex2_approx && op <= ScalarOp::rsqrt_approx;
  const bool platform = op >= ScalarOp::exp_f64;
  if (all_constant && !approximate && !platform)
    return constant(scalar::evaluate(op, {constants.data(), operands.size()}, attribute));
  if (op == ScalarOp::select || op == ScalarOp::rare) {
    if (operands[1].id == operands[2].id) return operands[1];
    if (is_constant((*this)[operands[0].id])) {
      const bool c = constants[0].bits != 0;
      return op == ScalarOp::select ? (c ? operands[1] : operands[2]) : (c ? operands[2] : operands[1]);
    }
  }
  if (op == ScalarOp::convert && scalar::compute_type(attribute) == types[0]) return operands[0];
  if (op == ScalarOp::round_to) {
    if (attribute == types[0]) return operands[0];
    const Instruction& o = (*this)[operands[0].id];
    if (o.kind == InstructionKind::scalar && o.op == ScalarOp::round_to && holds(attribute, o.attribute)) return operands[0];
    if (o.kind == InstructionKind::load && holds(attribute, o.attribute)) return operands[0];
  }
  in.type = *type;
  return add(std::move(in));
}

Value Body::load(int buffer, DType storage, std::vector<Expr> index, Value mask, Value fill) {
  Instruction in{.kind = InstructionKind::load, .type = scalar::compute_type(storage), .attribute = storage};
  in.id = buffer;
  in.index = std::move(index);
  in.operands[0] = mask.id;
  in.operands[1] = fill.id;
  return add(std::move(in));
}

Value Body::index_value(Expr index, DType type) {
  if (const auto c = index.constant()) return constant(scalar::constant_int(type, *c));
  Instruction in{.kind = InstructionKind::index_value, .type = type, .attribute = {}};
  in.index = {index};
  return add(std::move(in));
}

Expr Body::to_index(Value value, Expr bound, IndexMode mode) {
  if (value.type != i64) throw CompileError("internal: an index must be computed in i64");
  Instruction in{.kind = InstructionKind::to_index, .type = i64, .attribute = {}, .mode = mode};
  in.operands[0] = value.id;
  in.index = {bound};
  return Expr::value(add(std::move(in)).id);
}

Value Body::reduce(ReduceKind kind, Value operand) {
  Instruction in{.kind = InstructionKind::reduce, .type = operand.type, .attribute = {}};
  in.operands[0] = operand.id;
  in.id = static_cast<int32_t>(kind);
  return add(std::move(in));
}

}  // namespace sinter::loop
