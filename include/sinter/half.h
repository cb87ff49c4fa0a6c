// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#pragma GCC visibility push(default)
namespace sinter {

/// f32 bits -> f16 bits, round to nearest even; NaN stays NaN (quiet), overflow gives infinity.
constexpr uint16_t f32_to_f16_bits(float value) {
  const uint32_t x = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (x >> 16) & 0x8000u;
  const uint32_t magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // >= 65536 (65520.. rounds up below)
  if (magnitude < 0x33000001u) return static_cast<uint16_t>(sign);             // <= 2^-25 ties to zero
  uint32_t mantissa, shift;
  uint32_t base = 0;
  if (magnitude < 0x38800000u) {  // subnormal f16: value = mantissa * 2^(e - 150), unit 2^-24
    mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    shift = 126 - (magnitude >> 23);
  } else {
    mantissa = magnitude & 0x7fffffu;
    shift = 13;
    base = ((magnitude >> 23) - 112) << 10;
  }
  const uint32_t half = 1u << (shift - 1), rest = mantissa & ((1u << shift) - 1);
  uint32_t result = base + (mantissa >> shift);
  if (rest > half || (rest == half && (result & 1))) ++result;
  return static_cast<uint16_t>(sign | result);
}

/// f16 bits -> f32, exact.
constexpr float f16_bits_to_f32(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1fu, mantissa = h & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    if (mantissa == 0) return std::bit_cast<float>(sign);
    exponent = 1;
    while (!(mantissa & 0x400u)) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= 0x3ffu;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// f32 -> bf16 bits, round to nearest even; NaN stays NaN (quiet).
constexpr uint16_t f32_to_bf16_bits(float value) {
  const uint32_t x = std::bit_cast<uint32_t>(value);
  if ((x & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((x >> 16) | 0x40u);
  return static_cast<uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
}

/// bf16 bits -> f32, exact.
constexpr float bf16_bits_to_f32(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }

/// Storage of one f16 element.
struct Half {
  uint16_t bits = 0;
  constexpr Half() = default;
  constexpr explicit Half(float v) : bits(f32_to_f16_bits(v)) {}
  constexpr explicit operator float() const { return f16_bits_to_f32(bits); }
  friend constexpr bool operator==(Half a, Half b) { return static_cast<float>(a) == static_cast<float>(b); }
};

/// Storage of one bf16 element.
struct BFloat16 {
  uint16_t bits = 0;
  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float v) : bits(f32_to_bf16_bits(v)) {}
  constexpr explicit operator float() const { return bf16_bits_to_f32(bits); }
  friend constexpr bool operator==(BFloat16 a, BFloat16 b) { return static_cast<float>(a) == static_cast<float>(b); }
};

}  // namespace sinter
#pragma GCC visibility pop
