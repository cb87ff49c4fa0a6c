// SPDX-License-Identifier: Apache-2.0
#include "src/ops/storage_bits.h"

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

constexpr uint32_t f32_infinity = 0x7f800000, f16_infinity = 0x7c00;
constexpr uint32_t smallest_normal = 0x38800000;  // 2^-14, of f16, as f32
constexpr uint32_t rebias = 0x38000000;           // (127 - 15) << 23
constexpr float subnormal_unit = 0x1p-24f;

/// Of an f32 that f16 holds: nothing is rounded.
Value f16_bits(Builder& b, Value element) {
  const Value bits = b.bitcast(element, u32);
  const Value magnitude = b.bit_and(bits, b.u32(0x7fffffff));
  const Value sign = b.bit_and(b.shr(bits, b.u32(16)), b.u32(0x8000));
  const Value normal = b.shr(b.sub(magnitude, b.u32(rebias)), b.u32(13));
  const Value units = b.mul(b.bitcast(magnitude, f32), b.f32(1 / subnormal_unit));
  const Value subnormal = b.convert(units, u32);
  const Value special = b.bit_or(b.u32(f16_infinity), b.bit_and(b.shr(magnitude, b.u32(13)), b.u32(0x3ff)));
  const Value finite = b.select(b.lt(magnitude, b.u32(smallest_normal)), subnormal, normal);
  return b.bit_or(sign, b.select(b.lt(magnitude, b.u32(f32_infinity)), finite, special));
}

Value from_f16_bits(Builder& b, Value bits) {
  const Value magnitude = b.bit_and(bits, b.u32(0x7fff));
  const Value sign = b.shl(b.bit_and(bits, b.u32(0x8000)), b.u32(16));
  const Value normal = b.add(b.shl(magnitude, b.u32(13)), b.u32(rebias));
  const Value subnormal = b.bitcast(b.mul(b.convert(magnitude, f32), b.f32(subnormal_unit)), u32);
  const Value fraction = b.shl(b.bit_and(magnitude, b.u32(0x3ff)), b.u32(13));
  const Value special = b.bit_or(b.u32(f32_infinity), fraction);
  const Value finite = b.select(b.lt(magnitude, b.u32(0x400)), subnormal, normal);
  return b.bitcast(b.bit_or(sign, b.select(b.lt(magnitude, b.u32(f16_infinity)), finite, special)), f32);
}

}  // namespace

Value storage_bits(Builder& b, Value element, DType dtype) {
  if (dtype == f16) return f16_bits(b, element);
  if (dtype == bf16) return b.shr(b.bitcast(element, u32), b.u32(16));
  if (dtype == f64 || dtype == i64) return b.bitcast(element, u64);
  if (dtype.is_boolean()) return b.convert(element, u32);
  if (dtype == u64 || (dtype.is_integer() && !dtype.is_signed())) return element;
  const Value bits = b.bitcast(element, u32);
  return dtype.bits() == 32 ? bits : b.bit_and(bits, b.u32((1u << dtype.bits()) - 1));
}

Value from_storage_bits(Builder& b, Value bits, DType dtype) {
  if (dtype == f16) return from_f16_bits(b, bits);
  if (dtype == bf16) return b.bitcast(b.shl(bits, b.u32(16)), f32);
  if (dtype.is_boolean()) return b.ne(bits, b.u32(0));
  if (dtype.is_integer() && !dtype.is_signed()) return bits;
  return b.round_to(b.bitcast(bits, scalar::compute_type(dtype)), dtype);
}

}  // namespace sinter::ops
