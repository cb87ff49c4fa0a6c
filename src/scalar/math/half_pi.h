// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/exp.h"
#include "src/scalar/math/high_low.h"

#include <limits>

// Reduction of the arguments of sin, cos and tan: x = n pi/2 + r, |r| <= pi/4 and a little.

namespace sinter::scalar::math::detail {

// pi/2 in three parts of 24 bits.
inline constexpr float half_pi_high = 0x1.921fb6p+0f;
inline constexpr float half_pi_middle = -0x1.777a5cp-25f;
inline constexpr float half_pi_low = -0x1.ee59dap-50f;

template <class V>
struct QuarterTurns {
  V n;  ///< i32, of which the last two bits mean something
  HighLow<V> r;
};

/// Arguments from here on take the long reduction.
inline constexpr float long_reduction = 0x1p17f;

/// x of less than long_reduction; the first step is exact, the next two leave 2^-59 at most.
template <class B, class V>
QuarterTurns<V> reduce_half_pi(B& b, V x) {
  const V t = b.fma(x, b.f32(0.63661977236758134308f), b.f32(round_magic));
  const V n = b.sub(t, b.f32(round_magic));
  const V r1 = b.fma(n, b.f32(-half_pi_high), x);
  const HighLow<V> step = exact_product(b, n, b.f32(-half_pi_middle));
  // Exact also where the step is the greater of the two, since both are then multiples of its last place.
  const HighLow<V> r2 = exact_sum(b, r1, step.high);
  return {b.bitcast(t, i32), exact_sum(b, r2.high, b.fma(n, b.f32(-half_pi_low), b.add(r2.low, step.low)))};
}

/// The 96 bits of 2/pi from bit `start` on, bits 0 to 31 being 0; 16 <= start < 128. High word first.
template <class B, class V>
void bits_of_two_over_pi(B& b, V start, V (&window)[3]) {
  constexpr uint32_t words[7] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041};
  const auto bit = [&](uint32_t mask) { return b.ne(b.bit_and(start, b.u32(mask)), b.u32(0)); };
  const V by_two = bit(64), by_one = bit(32);
  const auto two_on = [&](int k) { return b.select(by_two, b.u32(words[k + 2]), b.u32(words[k])); };
  const auto one_on = [&](V next, V here) { return b.select(by_one, next, here); };
  const V even[5] = {two_on(0), two_on(1), two_on(2), two_on(3), two_on(4)};
  const V left = b.bit_and(start, b.u32(31)), right = b.sub(b.u32(32), left);
  for (int k = 0; k < 3; ++k) {
    const V high = one_on(even[k + 1], even[k]), low = one_on(even[k + 2], even[k + 1]);
    window[k] = b.bit_or(b.shl(high, left), b.shr(low, right));
  }
}

/// Any finite x of at least long_reduction, after Payne and Hanek: x = m 2^(e - 31), m of 32 bits, times those bits of
/// 2/pi that matter modulo 4, in integers: 2^62 quarter turns.
template <class B, class V>
QuarterTurns<V> reduce_half_pi_long(B& b, V x) {
  const V bits = b.bitcast(x, u32);
  const V m = b.bit_or(b.shl(bits, b.u32(8)), b.u32(0x80000000));
  const V exponent = b.bit_and(b.shr(bits, b.u32(23)), b.u32(255));
  V window[3] = {m, m, m};
  bits_of_two_over_pi(b, b.sub(exponent, b.u32(128)), window);
  const V middle = b.mul(m, window[1]);
  const V fraction = b.add(middle, b.mul_hi(m, window[2]));
  const V carry = b.select(b.lt(fraction, middle), b.u32(1), b.u32(0));
  const V turns = b.add(b.add(b.mul(m, window[0]), b.mul_hi(m, window[1])), carry);

  const V n = b.bitcast(b.shr(b.add(turns, b.u32(0x20000000)), b.u32(30)), i32);
  // What is left, in [-1/2, 1/2) of 2^64, as sign and magnitude (less 1 of a negative one).
  const V signed_high = b.bit_or(b.shl(turns, b.u32(2)), b.shr(fraction, b.u32(30)));
  const V negative = b.ge(signed_high, b.u32(0x80000000));
  const V mask = b.select(negative, b.u32(0xffffffff), b.u32(0));
  const V high = b.bit_xor(signed_high, mask), low = b.bit_xor(b.shl(fraction, b.u32(2)), mask);
  const auto part = [&](V piece, float scale) { return b.mul(b.convert(b.bitcast(piece, i32), f32), b.f32(scale)); };
  const V middle_bits = b.bit_or(b.shl(b.bit_and(high, b.u32(255)), b.u32(16)), b.shr(low, b.u32(16)));
  const HighLow<V> f = exact_sum(b, part(b.shr(high, b.u32(8)), 0x1p-24f), part(middle_bits, 0x1p-48f));
  const V f_low = b.add(f.low, part(b.bit_and(low, b.u32(0xffff)), 0x1p-64f));
  // Times pi/2, with the sign of all.
  const V x_negative = b.ge(bits, b.u32(0x80000000));
  const V sign = b.select(b.bit_xor(negative, x_negative), b.f32(-1.0f), b.f32(1.0f));
  const HighLow<V> product = exact_product(b, b.mul(f.high, sign), b.f32(half_pi_high));
  const V rest = b.fma(f_low, b.f32(half_pi_high), b.mul(f.high, b.f32(half_pi_middle)));
  const HighLow<V> r = exact_sum(b, product.high, b.fma(rest, sign, product.low));
  return {b.select(x_negative, b.neg(n), n), r};
}

/// x instead of `result` where the sine and the tangent are x within 0.1 ulp: the reduction loses the sign of zero.
template <class B, class V>
V unless_tiny(B& b, V x, V result) {
  return b.select(b.lt(b.abs(x), b.f32(0x1p-13f)), x, result);
}

/// `of(turns)` with the reduction that x needs; NaN for infinities and NaN.
template <class B, class V, class Function>
V with_reduced(B& b, V x, Function of) {
  const V is_long = b.bit_not(b.lt(b.abs(x), b.f32(long_reduction)));
  return b.rare(is_long, of(reduce_half_pi(b, x)), [&] { return b.add(of(reduce_half_pi_long(b, x)), b.sub(x, x)); });
}

}  // namespace sinter::scalar::math::detail
