// SPDX-License-Identifier: Apache-2.0
#include "src/ops/integer_power.h"

#include <optional>

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

std::optional<uint64_t> known_exponent(Builder& b, Value n) {
  const loop::Instruction& i = b.body()[n.id];
  if (i.kind != loop::InstructionKind::constant) return std::nullopt;
  const int64_t value = scalar::as_int({i.type, i.bits});
  if (n.type.is_signed() && value < 0) return std::nullopt;
  return static_cast<uint64_t>(value);
}

Value power_of_known(Builder& b, Value x, uint64_t n) {
  Value result = b.constant(x.type, 1);
  for (bool first = true; n != 0; n >>= 1) {
    if (n & 1) {
      result = first ? x : b.mul(result, x);
      first = false;
    }
    if (n > 1) x = b.mul(x, x);
  }
  return result;
}

Value non_negative_power(Builder& b, Value x, Value n, int bits) {
  const Value zero = b.constant(x.type, 0), one = b.constant(x.type, 1);
  Value result = one;
  for (int k = 0; k < bits; ++k) {
    const Value bit = b.bit_and(b.shr(n, b.constant(n.type, k)), one);
    result = b.select(b.ne(bit, zero), b.mul(result, x), result);
    if (k + 1 < bits) x = b.mul(x, x);
  }
  return result;
}

}  // namespace

Value integer_power(Builder& b, Value x, Value n, DType dtype) {
  if (const auto known = known_exponent(b, n)) return power_of_known(b, x, *known);
  const Value power = non_negative_power(b, x, n, dtype.bits() - (dtype.is_signed() ? 1 : 0));
  if (!dtype.is_signed()) return power;
  const Value zero = b.constant(x.type, 0), one = b.constant(x.type, 1), minus_one = b.constant(x.type, -1);
  const Value is_odd = b.ne(b.bit_and(n, one), zero);
  const Value of_minus_one = b.select(is_odd, minus_one, one);
  const Value reciprocal = b.select(b.eq(x, one), one, b.select(b.eq(x, minus_one), of_minus_one, zero));
  return b.select(b.lt(n, zero), reciprocal, power);
}

}  // namespace sinter::ops
