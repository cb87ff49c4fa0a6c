// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/log.h"

// Logarithms of base 2 and 10, like log.h: of log(1 + f) / f a part by which f is multiplied without error (3/2 and
// 7/16) is taken out, so that the rest needs less accuracy.

namespace sinter::scalar::math {

namespace detail {

/// log2(x) - shift for positive normal x.
template <class B, class V>
V log2_normal(B& b, V x, float shift) {
  const SplitFloat<V> s = split_float(b, x);
  const V p = polynomial(b, s.f,
                         {-0.057304952f, -0.7213475f, 0.48089558f, -0.36067417f, 0.28872654f, -0.2405219f, 0.20159794f,
                          -0.17738909f, 0.20364723f, -0.17938896f});
  const V e = b.fma(s.e, b.f32(0x1p-23f), b.f32(-shift));
  const V high = b.fma(s.f, b.f32(1.5f), e);
  const V low = b.fma(s.f, b.f32(1.5f), b.sub(e, high));
  return b.add(high, b.fma(s.f, p, low));
}

// log10(2) in two parts, the high one of 14 significant bits.
inline constexpr float log10_2_high = 0.301025390625f;
inline constexpr float log10_2_low = 4.60503898119521373889e-6f;

/// log10(x) - shift log10(2) for positive normal x.
template <class B, class V>
V log10_normal(B& b, V x, float shift) {
  const SplitFloat<V> s = split_float(b, x);
  const V p = polynomial(b, s.f,
                         {-0.0032055164f, -0.21714725f, 0.14476408f, -0.108572334f, 0.08691218f, -0.07245309f,
                          0.060726967f, -0.05280401f, 0.0611394f, -0.05639399f});
  const V e = b.fma(s.e, b.f32(0x1p-23f), b.f32(-shift));
  const V high = b.fma(e, b.f32(log10_2_high), b.mul(s.f, b.f32(0.4375f)));
  const V low = b.fma(s.f, b.f32(0.4375f), b.fma(e, b.f32(log10_2_high), b.neg(high)));
  return b.add(high, b.fma(s.f, p, b.fma(e, b.f32(log10_2_low), low)));
}

/// A logarithm of x 2^-shift for results of 16 bits: `of_two` that of 2, p its polynomial of log(1 + f) / f.
template <class B, class V>
V log_half_of_base(B& b, V x, float shift, float of_two, std::initializer_list<float> p) {
  const SplitFloat<V> s = split_float(b, x);
  const V e = shift == 0 ? s.e : b.sub(s.e, b.f32(shift * 0x1p23f));
  return b.fma(e, b.f32(0x1p-23f * of_two), b.mul(s.f, polynomial(b, s.f, p)));
}

}  // namespace detail

/// log2(x), f32; exact for powers of two. Measured: at most 0.96 ulp; 23 instructions.
template <class B, class V>
V log2_f32(B& b, V x) {
  return detail::log_of_any(b, x, [&](V v, float shift) { return detail::log2_normal(b, v, shift); });
}

/// log2(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.091 ulp; 14 instructions.
///   bf16: Measured: at most 0.012 ulp; 14 instructions.
template <class B, class V>
V log2_half(B& b, V x, DType) {
  return detail::log_of_any(b, x, [&](V v, float shift) {
    return detail::log_half_of_base(b, v, shift, 1, {1.442706f, -0.72033614f, 0.47862113f, -0.39714462f, 0.33322492f});
  });
}

/// log10(x), f32. Measured: at most 0.98 ulp; 25 instructions.
template <class B, class V>
V log10_f32(B& b, V x) {
  return detail::log_of_any(b, x, [&](V v, float shift) { return detail::log10_normal(b, v, shift); });
}

/// log10(x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.095 ulp; 14 instructions.
///   bf16: Measured: at most 0.012 ulp; 14 instructions.
template <class B, class V>
V log10_half(B& b, V x, DType) {
  return detail::log_of_any(b, x, [&](V v, float shift) {
    return detail::log_half_of_base(b, v, shift, 0.30102999566398119521f,
                                    {0.43429735f, -0.21683273f, 0.14425233f, -0.119719185f, 0.09878799f});
  });
}

/// log2(x) and log10(x), approximate: absolute error below 2^-22 for x in (0.5, 2), else relative.
template <class B, class V>
V log2_approx(B& b, V x) {
  return b.lg2_approx(x);
}
template <class B, class V>
V log10_approx(B& b, V x) {
  return b.mul(b.lg2_approx(x), b.f32(0.30102999566398119521f));
}

}  // namespace sinter::scalar::math
