// SPDX-License-Identifier: Apache-2.0
#include "src/ops/float_bits.h"

#include <limits>

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

constexpr double infinity = std::numeric_limits<double>::infinity();

Value integer(Builder& b, DType t, int64_t v) { return b.body().constant(scalar::constant_int(t, v)); }

Value sign_mask(Builder& b, DType bits) {
  return integer(b, bits, bits == i32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min());
}

/// Neighbours of a magnitude in dtype: one step of the last bit. Those of f16 and bf16 stand in wider values, of whose
/// bits the dtype has only the upper ones.
struct Neighbours {
  Value above, below;  ///< below: of magnitudes other than 0
};

Neighbours neighbours(Builder& b, Value magnitude, DType dtype) {
  const DType bits = bits_type(dtype);
  const int unused = dtype == f16 ? 13 : dtype == bf16 ? 16 : 0;
  const Value step = integer(b, bits, int64_t{1} << unused), pattern = b.bitcast(magnitude, bits);
  Neighbours n{b.bitcast(b.add(pattern, step), magnitude.type), b.bitcast(b.sub(pattern, step), magnitude.type)};
  if (dtype != f16) return n;
  // Subnormals of f16 are normal in f32, equally spaced; above the largest value of f16, f32 has more before infinity.
  const Value least_normal = b.f32(0x1p-14f), spacing = b.f32(0x1p-24f);
  n.above = b.select(b.lt(magnitude, least_normal), b.add(magnitude, spacing), n.above);
  n.below = b.select(b.le(magnitude, least_normal), b.sub(magnitude, spacing), n.below);
  n.below = b.select(b.eq(magnitude, b.constant(f32, infinity)), b.f32(65504), n.below);
  return n;
}

}  // namespace

DType bits_type(DType floating) { return floating == f64 ? i64 : i32; }

Value sign_bit(Builder& b, Value x) {
  const DType bits = bits_type(x.type);
  return b.bit_and(b.lt(b.bitcast(x, bits), integer(b, bits, 0)), b.eq(x, x));
}

Value with_sign_of(Builder& b, Value magnitude, Value x) {
  const DType bits = bits_type(x.type);
  const Value number = b.select(b.eq(x, x), x, b.constant(x.type, 0));
  const Value sign = b.bit_and(b.bitcast(number, bits), sign_mask(b, bits));
  return b.bitcast(b.bit_or(b.bitcast(b.abs(magnitude), bits), sign), x.type);
}

Value next_after(Builder& b, Value x, Value y, DType dtype) {
  const Value zero = b.constant(x.type, 0);
  const auto [above, below] = neighbours(b, b.abs(x), dtype);
  const Value outward = b.eq(b.lt(x, y), b.lt(zero, x));
  const Value moved = with_sign_of(b, b.select(outward, above, below), x);
  const Value from_zero = with_sign_of(b, neighbours(b, zero, dtype).above, y);
  const Value next = b.select(b.eq(x, y), y, b.select(b.eq(x, zero), from_zero, moved));
  const Value is_ordered = b.bit_and(b.eq(x, x), b.eq(y, y));
  return b.select(is_ordered, next, b.add(x, y));
}

}  // namespace sinter::ops
