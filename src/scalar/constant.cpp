// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "src/scalar/native.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::scalar {

Constant constant_f32(float v) { return {f32, std::bit_cast<uint32_t>(v)}; }
Constant constant_f64(double v) { return {f64, std::bit_cast<uint64_t>(v)}; }
Constant constant_bool(bool v) { return {boolean, v}; }

Constant constant_int(DType t, int64_t v) {
  return with_native(t, [v]<class T>(T) { return to_constant(convert_native<T>(v)); });
}

Constant constant_of(DType t, double v) {
  return with_native(t, [v]<class T>(T) { return to_constant(convert_native<T>(v)); });
}

double as_double(const Constant& c) {
  return with_native(c.dtype, [&c]<class T>(T) { return static_cast<double>(from_constant<T>(c)); });
}

int64_t as_int(const Constant& c) {
  return with_native(c.dtype, [&c]<class T>(T) { return convert_native<int64_t>(from_constant<T>(c)); });
}

namespace {

template <class T>
T read(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

Constant load_element(const void* p, DType s) {
  if (s == boolean) return constant_bool(read<uint8_t>(p) != 0);
  if (s == f16) return constant_f32(f16_bits_to_f32(read<uint16_t>(p)));
  if (s == bf16) return constant_f32(bf16_bits_to_f32(read<uint16_t>(p)));
  if (s == u8) return constant_int(u32, read<uint8_t>(p));
  if (s == u16) return constant_int(u32, read<uint16_t>(p));
  if (s == i8) return constant_int(i32, read<int8_t>(p));
  if (s == i16) return constant_int(i32, read<int16_t>(p));
  return {s, s.bits() == 32 ? read<uint32_t>(p) : read<uint64_t>(p)};
}

void store_element(void* p, DType s, const Constant& value) {
  if (value.dtype != compute_type(s)) throw CompileError("internal: an element is stored from another compute type");
  uint64_t bits = value.bits;
  if (s == f16) bits = f32_to_f16_bits(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (s == bf16) bits = f32_to_bf16_bits(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  std::memcpy(p, &bits, static_cast<size_t>(s.bytes()));  // little endian: the low bytes are the narrow value
}

}  // namespace sinter::scalar
