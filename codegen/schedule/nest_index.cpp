// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "codegen/schedule/nest_emitter.h"

namespace sinter::schedule {

using graph::Expr;
using tile_ir::Index;
using tile_ir::Value;
using Kind = Expr::Kind;

namespace {

bool of_symbols(Expr e) {
  bool symbols = true;
  visit_leaves(e, [&](Expr leaf) { symbols = symbols && leaf.kind() == Kind::symbol; });
  return symbols;
}

}  // namespace

Value NestEmitter::scalar_of(Expr e) {
  if (const auto it = known_.scalars.find(e); it != known_.scalars.end()) return it->second;
  if (of_symbols(e)) {
    const Value v = e.constant() ? b_.literal(*e.constant()) : kernel_.symbolic(e);
    known_.scalars.emplace(e, v);
    return v;
  }
  switch (e.kind()) {
    case Kind::axis:
      return *origins_[static_cast<size_t>(e.id())];
    case Kind::sum:
      return scalar_sum(e);
    case Kind::product:
      return scalar_product(e);
    case Kind::min:
      return b_.min(scalar_of(e.operands()[0]), scalar_of(e.operands()[1]));
    case Kind::max:
      return b_.max(scalar_of(e.operands()[0]), scalar_of(e.operands()[1]));
    default:
      return tile_division(e, i64);
  }
}

Value NestEmitter::scalar_sum(Expr e) {
  Expr symbols = e;
  std::optional<Value> sum;
  for (const auto& [c, t] : e.terms()) {
    if (of_symbols(t)) continue;
    symbols = symbols - Expr(c) * t;
    const Value term = c == 1 ? scalar_of(t) : b_.mul(scalar_of(t), b_.literal(c));
    sum = sum ? b_.add(*sum, term) : term;
  }
  if (!sum) return scalar_of(symbols);
  return symbols.is_constant(0) ? *sum : b_.add(*sum, scalar_of(symbols));
}

Value NestEmitter::scalar_product(Expr e) {
  Expr symbols = 1;
  std::optional<Value> v;
  for (Expr f : e.operands()) {
    if (of_symbols(f))
      symbols = symbols * f;
    else
      v = v ? b_.mul(*v, scalar_of(f)) : scalar_of(f);
  }
  return symbols.is_constant(1) ? *v : b_.mul(*v, scalar_of(symbols));
}

Index NestEmitter::index_of(Expr e) {
  if (const auto c = e.constant()) return Index(*c);
  return Index(scalar_of(e));
}

Value NestEmitter::axis_value(size_t axis, DType t) {
  const AxisPlace& p = tiling_.axes[axis];
  const auto in_type = [&](Value v, DType from) { return from == t ? v : b_.convert(v, t); };
  if (!has_tile(axis)) return in_type(*origins_[axis], i64);
  const Value lanes = b_.iota(p.kind == AxisPlace::Kind::parts ? tile_ir::parts_dim : p.dim, shape_of_axis(axis));
  if (p.kind == AxisPlace::Kind::parts) return in_type(lanes, i32);
  return b_.add(in_type(lanes, i32), in_type(*origins_[axis], i64));
}

bool NestEmitter::is_uniform(Expr e) const {
  bool uniform = true;
  visit_leaves(e, [&](Expr leaf) {
    if (leaf.kind() == Kind::value) uniform = false;
    if (leaf.kind() == Kind::axis) uniform = uniform && !has_tile(static_cast<size_t>(leaf.id()));
  });
  return uniform;
}

Value NestEmitter::tile_index(Expr e, DType t) {
  auto& cache = t == i64 ? known_.wide : known_.narrow;
  if (const auto it = cache.find(e); it != cache.end()) return it->second;
  const Value v = compute_tile_index(e, t);
  cache.emplace(e, v);
  return v;
}

Value NestEmitter::compute_tile_index(Expr e, DType t) {
  if (is_uniform(e)) return t == i64 ? scalar_of(e) : b_.convert(scalar_of(e), t);
  switch (e.kind()) {
    case Kind::axis:
      return axis_value(static_cast<size_t>(e.id()), t);
    case Kind::value:
      return t == i64 ? value(e.id()) : b_.convert(value(e.id()), t);
    case Kind::sum:
      return tile_sum(e, t);
    case Kind::min:
      return b_.min(tile_index(e.operands()[0], t), tile_index(e.operands()[1], t));
    case Kind::max:
      return b_.max(tile_index(e.operands()[0], t), tile_index(e.operands()[1], t));
    case Kind::product: {
      Value v = tile_index(e.operands()[0], t);
      for (Expr f : e.operands().subspan(1)) v = b_.mul(v, tile_index(f, t));
      return v;
    }
    default:
      return tile_division(e, t);
  }
}

/// Uniform terms are added up as one scalar, tile terms after it.
Value NestEmitter::tile_sum(Expr e, DType t) {
  Expr uniform = e;
  std::optional<Value> sum;
  for (const auto& [c, term] : e.terms()) {
    if (is_uniform(term)) continue;
    uniform = uniform - Expr(c) * term;
    Value v = tile_index(term, t);
    if (c != 1) v = b_.mul(v, b_.constant(tile_ir::Type::scalar(t), scalar::constant_int(t, c).bits));
    sum = sum ? b_.add(*sum, v) : v;
  }
  return uniform.is_constant(0) ? *sum : b_.add(*sum, tile_index(uniform, t));
}

/// Floor division and modulus; the machine's truncate, which is the same where the dividend is not negative.
Value NestEmitter::tile_division(Expr e, DType t) {
  const Value x = tile_index(e.operands()[0], t), y = tile_index(e.operands()[1], t);
  const bool is_mod = e.kind() == Kind::mod;
  if (ranges_.of(e.operands()[0]).first >= 0) return is_mod ? b_.irem(x, y) : b_.idiv(x, y);
  const Value truncated = b_.irem(x, y);
  const Value rest = b_.select(b_.lt(truncated, b_.constant(t, 0)), b_.add(truncated, y), truncated);
  return is_mod ? rest : b_.idiv(b_.sub(x, rest), y);
}

/// i32 where every subexpression of the address (all are computed in the type) fits.
DType NestEmitter::offset_type(Expr address) const {
  bool fits = true;
  const auto check = [&](Expr e) {
    const auto [lo, hi] = ranges_.of(e);
    fits = fits && lo > -target_.narrow_index_limit && hi < target_.narrow_index_limit;
  };
  const std::function<void(Expr)> visit = [&](Expr e) {
    check(e);
    for (const auto& [c, t] : e.terms()) check(Expr(c) * t);
    for (Expr o : e.operands()) visit(o);
  };
  visit(address);
  return fits ? i32 : i64;
}

Value NestEmitter::checked_index(const loop::Instruction& in) {
  const Value bound = scalar_of(in.index[0]), zero = b_.literal(0);
  if (in.mode == loop::IndexMode::clamp) {
    const loop::Instruction& from = nest_.body[in.operands[0]];
    const bool narrow = ranges_.of(in.index[0]).second < target_.narrow_index_limit;
    const bool converted = from.kind == loop::InstructionKind::scalar && from.op == loop::ScalarOp::convert &&
                           nest_.body[from.operands[0]].type.is_floating();
    if (narrow && converted) {  // saturation at the limits of i32 instead of i64 clamps to the same
      const Value v = b_.convert(value(from.operands[0]), i32), last = b_.convert(b_.sub(bound, b_.literal(1)), i32);
      return b_.convert(b_.max(b_.min(v, last), b_.constant(i32, 0)), i64);
    }
    return b_.max(b_.min(value(in.operands[0]), b_.sub(bound, b_.literal(1))), zero);
  }
  const Value v = value(in.operands[0]);
  const Value wrapped = b_.select(b_.lt(v, zero), b_.add(v, bound), v);
  const Value good = b_.bit_and(b_.le(zero, wrapped), b_.lt(wrapped, bound));
  Value bad = b_.bit_not(good);
  const loop::AxisSet axes = dependence_[static_cast<size_t>(in.operands[0])];
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if ((axes >> a & 1) != 0)
      if (const auto m = inside(a)) bad = b_.bit_and(bad, *m);
  b_.status_check(kernel_.status_pointer(), bad, static_cast<uint64_t>(in.id) + 1);
  return b_.select(good, wrapped, zero);
}

}  // namespace sinter::schedule
