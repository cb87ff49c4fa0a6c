// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/value_range.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinter::schedule {
namespace {

using loop::ScalarOp;

/// Exponent of the lowest set bit of an f32; 0 is a multiple of everything.
int lowest_bit(float v) {
  if (v == 0) return 127;
  int exponent = 0;
  auto significand = static_cast<uint32_t>(std::fabs(std::frexp(v, &exponent)) * 16777216.0f);
  return exponent - 24 + std::countr_zero(significand);
}

ValueRange literal(float v) {
  if (!std::isfinite(v)) return {};
  return {v, v, lowest_bit(v)};
}

/// Bounds after rounding to f32, which keeps multiples of a power of two that f32 has. A bound that is no f32 may have
/// been rounded to f64 before.
ValueRange rounded(double lo, double hi, int lowest) {
  const auto bound = [](double v, float outward) {
    const auto f = static_cast<float>(v);
    return static_cast<double>(f) == v ? v : static_cast<double>(std::nextafter(f, outward));
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {bound(lo, -infinity), bound(hi, infinity), std::max(lowest, -149)};
}

ValueRange product(const ValueRange& a, const ValueRange& b) {
  const double p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  if (std::ranges::any_of(p, [](double v) { return std::isnan(v); })) return {};
  return rounded(std::ranges::min(p), std::ranges::max(p), std::max(a.lowest + b.lowest, -149));
}

ValueRange sum(const ValueRange& a, const ValueRange& b) {
  return rounded(a.lo + b.lo, a.hi + b.hi, std::min(a.lowest, b.lowest));
}

/// Quotients that are not 0 are at least 2^a.lowest / |d|, and have 24 significant bits.
ValueRange quotient(const ValueRange& a, const ValueRange& d) {
  if (d.lo != d.hi || d.lo == 0) return {};
  const double x = a.lo / d.lo, y = a.hi / d.lo;
  return rounded(std::min(x, y), std::max(x, y), std::max(a.lowest - std::ilogb(d.lo) - 25, -149));
}

ValueRange joined(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), std::min(a.lowest, b.lowest)};
}

ValueRange of_integers(DType t) {
  if (t.is_boolean()) return {0, 1, 0};
  const double top = std::ldexp(1.0, t.bits() - (t.is_signed() ? 1 : 0));
  return rounded(t.is_signed() ? -top : 0, top, 0);
}

}  // namespace

ValueRange ValueRanges::of(loop::ValueId id) {
  if (const auto it = known_.find(id); it != known_.end()) return it->second;
  const ValueRange r = may_assume_ && may_assume_(id) ? assumed_or_known(id) : compute(body_[id]);
  known_.emplace(id, r);
  return r;
}

ValueRange ValueRanges::assumed_or_known(loop::ValueId id) {
  const ValueRange proven = ValueRanges(body_, indices_).of(id);
  if (body_[id].type != f32 || (std::isfinite(proven.lo) && std::isfinite(proven.hi))) return proven;
  assumed_.push_back(id);
  const double top = std::ldexp(1.0, assumed_highest_exponent);
  return {-top, top, assumed_lowest_exponent - 23};
}

ValueRange ValueRanges::compute(const loop::Instruction& in) {
  if (in.type != f32) return {};
  if (in.kind == loop::InstructionKind::constant) return literal(std::bit_cast<float>(static_cast<uint32_t>(in.bits)));
  if (in.kind == loop::InstructionKind::load && in.attribute == f16) return {.lowest = -24};
  return in.kind == loop::InstructionKind::scalar ? of_scalar(in) : ValueRange{};
}

ValueRange ValueRanges::of_scalar(const loop::Instruction& in) {
  const auto operand = [&](size_t i) { return of(in.operands[i]); };
  switch (in.op) {
    case ScalarOp::convert: {
      const loop::Instruction& from = body_[in.operands[0]];
      if (from.type.is_floating()) return {};
      if (from.kind == loop::InstructionKind::index_value) {
        const auto [lo, hi] = indices_.of(from.index[0]);
        return rounded(static_cast<double>(lo), static_cast<double>(hi), 0);
      }
      return of_integers(from.kind == loop::InstructionKind::load ? from.attribute : from.type);
    }
    case ScalarOp::add:
      return sum(operand(0), operand(1));
    case ScalarOp::sub: {
      const ValueRange b = operand(1);
      return sum(operand(0), {-b.hi, -b.lo, b.lowest});
    }
    case ScalarOp::mul:
      return product(operand(0), operand(1));
    case ScalarOp::div:
      return quotient(operand(0), operand(1));
    case ScalarOp::neg: {
      const ValueRange a = operand(0);
      return {-a.hi, -a.lo, a.lowest};
    }
    case ScalarOp::abs: {
      const ValueRange a = operand(0);
      return {0, std::max(std::fabs(a.lo), std::fabs(a.hi)), a.lowest};
    }
    case ScalarOp::min:
    case ScalarOp::max: {
      const ValueRange a = operand(0), b = operand(1);
      const auto pick = [&](double x, double y) { return in.op == ScalarOp::min ? std::min(x, y) : std::max(x, y); };
      return {pick(a.lo, b.lo), pick(a.hi, b.hi), std::min(a.lowest, b.lowest)};
    }
    case ScalarOp::select:
    case ScalarOp::rare:
      return joined(operand(1), operand(2));
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::trunc:
    case ScalarOp::round_even: {
      const ValueRange a = operand(0);
      return {std::floor(a.lo), std::ceil(a.hi), 0};
    }
    default:
      return {};
  }
}

}  // namespace sinter::schedule
