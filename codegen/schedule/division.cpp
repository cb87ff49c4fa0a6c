// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/division.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sinter::schedule {

using tile_ir::Value;

namespace {

constexpr int safe_exponent = 60;
const double largest = std::ldexp(1.0, safe_exponent), smallest = std::ldexp(1.0, -safe_exponent);

bool below_top(const ValueRange& x) { return x.lo >= -largest && x.hi <= largest; }
bool above_bottom(const ValueRange& x) { return x.lowest >= -safe_exponent; }

/// Where d is not a positive number of safe size (NaN is not); nothing if it always is.
std::optional<Value> unsafe_divisor(tile_ir::KernelBuilder& b, Value d, const ValueRange& range) {
  if (range.lo >= smallest && range.hi <= largest) return std::nullopt;
  const Value safe = b.bit_and(b.le(b.constant(f32, smallest), d), b.le(d, b.constant(f32, largest)));
  return b.bit_not(safe);
}

/// Where x is not 0 and its magnitude is below or above. NaN is inside: it stays NaN.
std::optional<Value> outside(tile_ir::KernelBuilder& b, Value x, std::optional<double> low,
                             std::optional<double> high) {
  if (!low && !high) return std::nullopt;
  const Value magnitude = b.abs(x);
  std::optional<Value> out;
  if (high) out = b.lt(b.constant(f32, *high), magnitude);
  if (low) {
    const Value tiny = b.bit_and(b.lt(magnitude, b.constant(f32, *low)), b.ne(x, b.constant(f32, 0)));
    out = out ? b.bit_or(*out, tiny) : tiny;
  }
  return out;
}

std::optional<Value> unsafe_dividend(tile_ir::KernelBuilder& b, Value x, const ValueRange& range) {
  return outside(b, x, above_bottom(range) ? std::nullopt : std::optional(smallest),
                 below_top(range) ? std::nullopt : std::optional(largest));
}

}  // namespace

bool is_safe_dividend(const ValueRange& x) { return below_top(x) && above_bottom(x); }

Value divide_by_shared(tile_ir::KernelBuilder& b, Value x, Value d, const ValueRange& x_range,
                       const ValueRange& d_range, std::span<const Value> assumed) {
  const Value r = b.div(b.constant(f32, 1), d);
  const Value q = b.mul(x, r);
  const Value n = b.fma(q, d, b.neg(x));
  const Value fast = b.fma(n, b.neg(r), q);
  std::optional<Value> unsafe = unsafe_dividend(b, x, x_range);
  const auto also = [&](std::optional<Value> v) {
    if (v) unsafe = unsafe ? b.bit_or(*unsafe, *v) : *v;
  };
  also(unsafe_divisor(b, d, d_range));
  for (Value v : assumed)
    also(outside(b, v, std::ldexp(1.0, assumed_lowest_exponent), std::ldexp(1.0, assumed_highest_exponent)));
  return unsafe ? b.rare(*unsafe, fast, b.div(x, d)) : fast;
}

}  // namespace sinter::schedule
