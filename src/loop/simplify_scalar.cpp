// SPDX-License-Identifier: Apache-2.0
#include "src/loop/simplify_scalar.h"

#include <bit>
#include <cmath>

#include "src/loop/index_comparison.h"
#include "src/loop/representable.h"

namespace sinter::loop {
namespace {

using scalar::Constant;

std::optional<Constant> constant_of(const Body& body, Value v) {
  const Instruction& in = body[v.id];
  if (in.kind != InstructionKind::constant) return std::nullopt;
  return Constant{in.type, in.bits};
}

bool is_number(const std::optional<Constant>& c, double v) {
  return c && *c == scalar::constant_of(c->dtype, v);  // bits: -0.0 is not 0.0
}

Value number(Body& body, DType t, double v) { return body.constant(scalar::constant_of(t, v)); }

/// x / c = x * (1 / c) where 1 / c is a normal power of two: both round the same number.
std::optional<Value> divide_by_power_of_two(Body& body, Value x, const Constant& c) {
  int exponent = 0;
  const double v = scalar::as_double(c);
  if (!std::isfinite(v) || std::fabs(std::frexp(v, &exponent)) != 0.5) return std::nullopt;
  const int limit = c.dtype == f32 ? 125 : 1021;
  if (exponent > limit || exponent < -limit) return std::nullopt;
  const Value factors[] = {x, number(body, c.dtype, 1 / v)};
  return body.scalar(ScalarOp::mul, factors);
}

std::optional<Value> simplify_arithmetic(Body& body, ScalarOp op, Value a, Value b) {
  const auto c = constant_of(body, b);  // constants stand last in commutative ops
  const bool integer = a.type.is_integer();
  switch (op) {
    case ScalarOp::add:
      return is_number(c, integer ? 0.0 : -0.0) ? std::optional(a) : std::nullopt;
    case ScalarOp::sub:
      return is_number(c, 0.0) ? std::optional(a) : std::nullopt;
    case ScalarOp::mul:
      if (is_number(c, 1)) return a;
      return integer && is_number(c, 0) ? std::optional(b) : std::nullopt;
    case ScalarOp::div:
      if (is_number(c, 1)) return a;
      return c ? divide_by_power_of_two(body, a, *c) : std::nullopt;
    case ScalarOp::idiv:
      return is_number(c, 1) ? std::optional(a) : std::nullopt;
    case ScalarOp::shl:
    case ScalarOp::shr:
      return is_number(c, 0) ? std::optional(a) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Value> simplify_bits(Body& body, ScalarOp op, Value a, Value b) {
  if (a.id == b.id) return op == ScalarOp::bit_xor ? number(body, a.type, 0) : a;
  const auto c = constant_of(body, b);
  if (!c) return std::nullopt;
  const uint64_t ones = a.type.is_boolean() ? 1 : a.type.bits() == 32 ? 0xffffffffu : ~uint64_t{0};
  const bool zero = c->bits == 0, all = c->bits == ones;
  if (op == ScalarOp::bit_and) return all ? std::optional(a) : zero ? std::optional(b) : std::nullopt;
  if (op == ScalarOp::bit_or) return zero ? std::optional(a) : all ? std::optional(b) : std::nullopt;
  return zero ? std::optional(a) : std::nullopt;
}

/// Decided by the range of a - b: index values never wrap.
std::optional<bool> compare_indices(const Body& body, ScalarOp op, Value a, Value b) {
  const auto x = index_of(body, a.id), y = index_of(body, b.id);
  if (!x || !y || !body.ranges()) return std::nullopt;
  const auto [lo, hi] = body.ranges()->of(simplify(*x - *y, *body.ranges()));
  switch (op) {
    case ScalarOp::lt:
      return hi < 0 ? std::optional(true) : lo >= 0 ? std::optional(false) : std::nullopt;
    case ScalarOp::le:
      return hi <= 0 ? std::optional(true) : lo > 0 ? std::optional(false) : std::nullopt;
    default:
      break;
  }
  const bool equal = lo == 0 && hi == 0;
  if (!equal && lo <= 0 && hi >= 0) return std::nullopt;
  return equal == (op == ScalarOp::eq);
}

/// Comparing a value with itself is decided unless it can be NaN.
std::optional<Value> simplify_comparison(Body& body, ScalarOp op, Value a, Value b) {
  if (const auto decided = compare_indices(body, op, a, b)) return body.constant(scalar::constant_bool(*decided));
  if (a.id != b.id || a.type.is_floating()) return std::nullopt;
  return body.constant(scalar::constant_bool(op == ScalarOp::le || op == ScalarOp::eq));
}

std::optional<Value> simplify_choice(Body& body, ScalarOp op, std::span<const Value> v) {
  if (v[1].id == v[2].id) return v[1];
  const auto c = constant_of(body, v[0]);
  if (!c) return std::nullopt;
  const bool first = (c->bits != 0) == (op == ScalarOp::select);
  return first ? v[1] : v[2];
}

bool is_involution(ScalarOp op) { return op == ScalarOp::neg || op == ScalarOp::bit_not; }

std::optional<Value> simplify_unary(Body& body, ScalarOp op, Value a) {
  const Instruction& in = body[a.id];
  if (is_involution(op) && in.kind == InstructionKind::scalar && in.op == op) return Value{in.operands[0], a.type};
  const bool rounds =
      op == ScalarOp::floor || op == ScalarOp::ceil || op == ScalarOp::trunc || op == ScalarOp::round_even;
  if (rounds && in.kind == InstructionKind::scalar && in.op == ScalarOp::convert &&
      !body[in.operands[0]].type.is_floating())
    return a;
  return std::nullopt;
}

/// A conversion of what an exact conversion gave is one of what it was made from.
std::optional<Value> simplify_convert(Body& body, Value v, DType to) {
  if (to == v.type) return v;
  const Instruction& in = body[v.id];
  if (in.kind != InstructionKind::scalar || in.op != ScalarOp::convert) return std::nullopt;
  const Instruction& from = body[in.operands[0]];
  const DType stored = from.kind == InstructionKind::load ? from.attribute : from.type;
  if (!holds_exactly(in.type, stored)) return std::nullopt;
  const Value source[] = {{in.operands[0], from.type}};
  return body.scalar(ScalarOp::convert, source, to);
}

}  // namespace

bool is_commutative(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul:
    case ScalarOp::mul_hi:
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::eq:
    case ScalarOp::ne:
      return true;
    default:
      return false;
  }
}

std::optional<Value> simplify_scalar(Body& body, ScalarOp op, std::span<const Value> v, DType attribute) {
  switch (op) {
    case ScalarOp::convert:
      return simplify_convert(body, v[0], scalar::compute_type(attribute));
    case ScalarOp::bitcast:
      return attribute == v[0].type ? std::optional(v[0]) : std::nullopt;
    case ScalarOp::round_to:
      return is_representable(body, v[0].id, attribute) ? std::optional(v[0]) : std::nullopt;
    case ScalarOp::select:
    case ScalarOp::rare:
      return simplify_choice(body, op, v);
    case ScalarOp::min:
    case ScalarOp::max:
      return v[0].id == v[1].id ? std::optional(v[0]) : std::nullopt;
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      return simplify_bits(body, op, v[0], v[1]);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne:
      return simplify_comparison(body, op, v[0], v[1]);
    default:
      break;
  }
  if (v.size() == 1) return simplify_unary(body, op, v[0]);
  return v.size() == 2 ? simplify_arithmetic(body, op, v[0], v[1]) : std::nullopt;
}

}  // namespace sinter::loop
