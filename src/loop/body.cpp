// SPDX-License-Identifier: Apache-2.0
#include "src/loop/body.h"

#include <sinter/error.h>

#include <algorithm>
#include <limits>

#include "src/graph/seeded_fault.h"
#include "src/loop/simplify_scalar.h"

namespace sinter::loop {
namespace {

size_t mixed(size_t h, size_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u + (h >> 31); }

size_t type_bits(DType t) { return static_cast<size_t>(t.kind()) << 8 | static_cast<size_t>(t.bits()); }

size_t hash_of(const Instruction& in) {
  size_t h = mixed(static_cast<size_t>(in.kind), static_cast<size_t>(in.op));
  h = mixed(h, type_bits(in.type) << 16 | type_bits(in.attribute));
  for (ValueId v : in.operands) h = mixed(h, static_cast<size_t>(v));
  h = mixed(mixed(h, in.bits), static_cast<size_t>(in.id) << 1 | static_cast<size_t>(in.mode));
  for (Expr e : in.index) h = mixed(h, e.hash());
  return h;
}

scalar::Constant folded(ScalarOp op, std::span<const scalar::Constant> operands, DType attribute) {
  scalar::Constant c = scalar::evaluate(op, operands, attribute);
  if (op == ScalarOp::mul && c.dtype == f32 && planted(graph::Fault::wrong_fold)) c.bits &= ~uint64_t{1};  // tests only
  return c;
}

}  // namespace

Body::Body(const Body& other) : instructions_(other.instructions_), by_hash_(other.by_hash_) {}

Body& Body::operator=(const Body& other) {
  if (this != &other) {
    instructions_ = other.instructions_;
    by_hash_ = other.by_hash_;
  }
  return *this;
}

Value Body::add(Instruction instruction) {
  const size_t h = hash_of(instruction);
  const auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if ((*this)[it->second] == instruction) return value(it->second);
  const auto id = static_cast<ValueId>(instructions_.size());
  const DType type = instruction.type;
  instructions_.push_back(std::move(instruction));
  by_hash_.emplace(h, id);
  return {id, type};
}

Value Body::constant(scalar::Constant c) {
  return add({.kind = InstructionKind::constant, .type = c.dtype, .attribute = f32, .bits = c.bits, .index = {}});
}

Value Body::number(int symbol, DType type) {
  return add({.kind = InstructionKind::number, .type = type, .attribute = f32, .id = symbol, .index = {}});
}

Value Body::scalar(ScalarOp op, std::span<const Value> operands, DType attribute) {
  std::array<Value, 3> v;
  std::array<DType, 3> types;
  std::array<scalar::Constant, 3> constants;
  bool folds = !(keeps_approximations_ && scalar::is_approximation(op));
  const size_t n = operands.size();
  for (size_t i = 0; i < n && i < v.size(); ++i) {
    v[i] = operands[i];
    types[i] = v[i].type;
    const Instruction& in = (*this)[v[i].id];
    folds = folds && in.kind == InstructionKind::constant;
    constants[i] = {in.type, in.bits};
  }
  const auto type = scalar::result_type(op, {types.data(), n}, attribute);
  if (!type) throw CompileError("internal: " + std::string(scalar::info(op).name) + " does not take these types");
  if (folds) return constant(folded(op, {constants.data(), n}, attribute));
  if (is_commutative(op)) {
    const auto rank = [&](Value x) { return std::pair((*this)[x.id].kind == InstructionKind::constant, x.id); };
    if (rank(v[1]) < rank(v[0])) std::swap(v[0], v[1]);
  }
  if (const auto simpler = simplify_scalar(*this, op, {v.data(), n}, attribute)) return *simpler;
  const bool has_attribute = op == ScalarOp::convert || op == ScalarOp::bitcast || op == ScalarOp::round_to;
  Instruction in{.kind = InstructionKind::scalar,
                 .op = op,
                 .type = *type,
                 .attribute = op == ScalarOp::convert ? *type
                              : has_attribute         ? attribute
                                                      : f32,
                 .index = {}};
  for (size_t i = 0; i < n; ++i) in.operands[i] = v[i].id;
  return add(std::move(in));
}

Value Body::load(int buffer, DType storage, std::vector<Expr> index, Value mask, Value fill) {
  const DType type = scalar::compute_type(storage);
  if (guard_.id >= 0) {
    const Value both[] = {guard_, mask};
    if (mask.id < 0) fill = constant({type, 0});
    mask = mask.id < 0 ? guard_ : scalar(ScalarOp::bit_and, both);
  }
  if (mask.id >= 0 && (*this)[mask.id].kind == InstructionKind::constant) {
    if ((*this)[mask.id].bits == 0) return fill;
    mask = {};
  }
  Instruction in{
      .kind = InstructionKind::load, .type = type, .attribute = storage, .id = buffer, .index = std::move(index)};
  if (mask.id >= 0) {
    in.operands[0] = mask.id;
    in.operands[1] = fill.id;
  }
  return add(std::move(in));
}

Value Body::index_value(Expr index, DType type) {
  if (ranges_) index = simplify(index, *ranges_);
  if (const auto c = index.constant()) return constant(scalar::constant_int(type, *c));
  return add({.kind = InstructionKind::index_value, .type = type, .attribute = f32, .index = {index}});
}

Expr Body::to_index(Value v, Expr bound, IndexMode mode) {
  const Instruction source = (*this)[v.id];
  if (const auto extent = bound.constant(); extent && source.kind == InstructionKind::constant) {
    const auto c = static_cast<int64_t>(source.bits);
    if (c >= 0 && c < *extent) return c;
    if (mode == IndexMode::clamp && *extent > 0) return c < 0 ? 0 : *extent - 1;
  }
  if (source.kind == InstructionKind::index_value && ranges_ && provably_within(source.index[0], bound, *ranges_))
    return source.index[0];
  if (guard_.id >= 0 && mode == IndexMode::check) {
    const Value choice[] = {guard_, v, constant(scalar::constant_int(i64, 0))};
    v = scalar(ScalarOp::select, choice);
  }
  Instruction in{.kind = InstructionKind::to_index, .type = i64, .attribute = f32, .mode = mode, .index = {bound}};
  in.operands[0] = v.id;
  if (mode == IndexMode::check) in.id = message_;
  return Expr::value(add(std::move(in)).id);
}

Value Body::reduce(ReduceKind kind, Value operand) {
  Instruction in{.kind = InstructionKind::reduce,
                 .type = operand.type,
                 .attribute = f32,
                 .id = static_cast<int32_t>(kind),
                 .index = {}};
  in.operands[0] = operand.id;
  return add(std::move(in));
}

Value Body::scan(ScanKind kind, int axis, Value operand, Value position) {
  Instruction in{.kind = InstructionKind::scan,
                 .type = scalar::scans_pairs(kind) ? position.type : operand.type,
                 .attribute = f32,
                 .id = static_cast<int32_t>(kind),
                 .index = {Expr::axis(axis)}};
  in.operands = {operand.id, position.id, -1};
  return add(std::move(in));
}

}  // namespace sinter::loop
