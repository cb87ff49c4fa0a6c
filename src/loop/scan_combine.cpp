// SPDX-License-Identifier: Apache-2.0
#include "src/loop/scan_combine.h"

#include <algorithm>
#include <limits>

#include "src/loop/builder.h"
#include "src/scalar/math/math.h"

namespace sinter::loop {
namespace {

using scalar::Constant;

/// Does the earlier element stand before the later one? Only if it is better, and the later one is no NaN.
Value earlier_stays(Builder& b, ScanKind kind, Value earlier, Value later) {
  const bool largest = kind == ScanKind::amax || kind == ScanKind::argmax;
  const Value better = largest ? b.lt(later, earlier) : b.lt(earlier, later);
  if (!earlier.type.is_floating()) return better;
  const Value only_nan = b.bit_and(b.ne(earlier, earlier), b.eq(later, later));
  return b.bit_or(better, only_nan);
}

/// hi + log(1 + exp(lo - hi)). Infinities are taken apart: inf - inf would be NaN; and next to -inf, hi stays as it is.
Value logaddexp(Builder& b, Value x, Value y) {
  const DType t = x.type;
  const double infinity = std::numeric_limits<double>::infinity();
  const Value hi = b.max(x, y), lo = b.min(x, y), difference = b.sub(lo, hi);
  const Value small = t == f64 ? b.op(ScalarOp::log1p_f64, {b.op(ScalarOp::exp_f64, {difference})})
                               : scalar::math::log1p_f32(b, scalar::math::exp_f32(b, difference));
  const Value plain = b.bit_or(b.eq(lo, b.constant(t, -infinity)), b.eq(hi, b.constant(t, infinity)));
  return b.select(plain, hi, b.add(small, hi));
}

Value combined(Builder& b, ScanKind kind, Value earlier, Value later) {
  switch (kind) {
    case ScanKind::sum:
      return b.add(earlier, later);
    case ScanKind::prod:
      return b.mul(earlier, later);
    case ScanKind::logaddexp:
      return logaddexp(b, earlier, later);
    default:
      return b.select(earlier_stays(b, kind, earlier, later), earlier, later);
  }
}

/// Runs the combine on constants.
class Combiner {
 public:
  explicit Combiner(const ScanCombine& combine) : c_(combine), values_(combine.body.size()) {}

  /// later = combine(earlier, later), at positions of the sequences.
  void operator()(std::span<std::vector<Constant>> sequences, const std::vector<Constant>& earlier, size_t later) {
    const size_t n = c_.types.size();
    for (size_t i = 0; i < values_.size(); ++i) {
      const Instruction& in = c_.body[static_cast<ValueId>(i)];
      if (in.kind == InstructionKind::constant) {
        values_[i] = {in.type, in.bits};
      } else if (in.kind == InstructionKind::load) {
        const auto k = static_cast<size_t>(in.id);
        values_[i] = k < n ? earlier[k] : sequences[k - n][later];
      } else {
        Constant operands[3];
        const auto arity = static_cast<size_t>(scalar::info(in.op).arity);
        for (size_t o = 0; o < arity; ++o) operands[o] = values_[static_cast<size_t>(in.operands[o])];
        values_[i] = scalar::evaluate(in.op, {operands, arity}, in.attribute);
      }
    }
    for (size_t k = 0; k < n; ++k) sequences[k][later] = values_[static_cast<size_t>(c_.results[k])];
  }

 private:
  const ScanCombine& c_;
  std::vector<Constant> values_;
};

}  // namespace

ScanCombine scan_combine(ScanKind kind, DType type) {
  ScanCombine c;
  Builder b(c.body);
  const bool pairs = scalar::scans_pairs(kind);
  const Value earlier = c.body.load(0, type, {}), later = c.body.load(pairs ? 2 : 1, type, {});
  c.types = {type};
  c.identities = {scalar::scan_identity(kind, type)};
  c.results = {combined(b, kind, earlier, later).id};
  if (!pairs) return c;
  c.types.push_back(i64);
  c.identities.push_back(scalar::constant_int(i64, 0));
  const Value stays = earlier_stays(b, kind, earlier, later);
  c.results.push_back(b.select(stays, c.body.load(1, i64, {}), c.body.load(3, i64, {})).id);
  return c;
}

void canonical_scan(const ScanCombine& combine, std::span<std::vector<Constant>> values) {
  Combiner apply(combine);
  const size_t n = values[0].size();
  const auto at = [&](size_t j) {
    std::vector<Constant> element;
    for (const auto& v : values) element.push_back(v[j]);
    return element;
  };
  std::vector<Constant> carry;
  for (size_t begin = 0; begin < n; begin += scan_chunk) {
    const size_t length = std::min<size_t>(scan_chunk, n - begin);
    for (int k = 0; k < scan_chunk_bits; ++k)
      for (size_t j = 0; j < length; ++j)
        if ((j >> k & 1) != 0) apply(values, at(begin + ((j >> k) << k) - 1), begin + j);
    if (!carry.empty())
      for (size_t j = 0; j < length; ++j) apply(values, carry, begin + j);
    carry = at(begin + length - 1);
  }
}

}  // namespace sinter::loop
