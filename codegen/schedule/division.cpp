// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/division.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinter::schedule {

using tile::Value;

namespace {

constexpr int safe_exponent = 60;
const double largest = std::ldexp(1.0, safe_exponent), smallest = std::ldexp(1.0, -safe_exponent);

/// Where d is not a positive number of safe size (NaN is not); nothing if it always is.
std::optional<Value> unsafe_divisor(tile::KernelBuilder& b, Value d, const ValueRange& range) {
  if (range.lo >= smallest && range.hi <= largest) return std::nullopt;
  const Value safe = b.bit_and(b.le(b.constant(f32, smallest), d), b.le(d, b.constant(f32, largest)));
  return b.bit_not(safe);
}

std::optional<Value> unsafe_dividend(tile::KernelBuilder& b, Value x, const ValueRange& range) {
  const bool high = range.lo >= -largest && range.hi <= largest, low = range.lowest >= -safe_exponent;
  if (high && low) return std::nullopt;
  const Value magnitude = b.abs(x);
  std::optional<Value> unsafe;
  if (!high) unsafe = b.lt(b.constant(f32, largest), magnitude);
  if (!low) {
    const Value tiny = b.bit_and(b.lt(magnitude, b.constant(f32, smallest)), b.ne(x, b.constant(f32, 0)));
    unsafe = unsafe ? b.bit_or(*unsafe, tiny) : tiny;
  }
  return unsafe;
}

}  // namespace

Value divide_by_shared(tile::KernelBuilder& b, Value x, Value d, const ValueRange& x_range, const ValueRange& d_range) {
  const Value r = b.div(b.constant(f32, 1), d);
  const Value q = b.mul(x, r);
  const Value n = b.fma(q, d, b.neg(x));
  const Value fast = b.fma(n, b.neg(r), q);
  std::optional<Value> unsafe = unsafe_dividend(b, x, x_range);
  if (const auto divisor = unsafe_divisor(b, d, d_range)) unsafe = unsafe ? b.bit_or(*unsafe, *divisor) : *divisor;
  return unsafe ? b.rare(*unsafe, fast, b.div(x, d)) : fast;
}

}  // namespace sinter::schedule
