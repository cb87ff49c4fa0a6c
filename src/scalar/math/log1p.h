// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/scalar/math/high_low.h"
#include "src/scalar/math/log.h"
#include "src/scalar/math/sign.h"

namespace sinter::scalar::math {

namespace detail {

/// e ln 2 + log(1 + f + f_low) as high + low; `e` as in SplitFloat.
template <class B, class V>
HighLow<V> log_parts(B& b, V e, const HighLow<V>& f) {
  const V r = polynomial(b, f.high,
                         {-0.5f, 0.33333215f, -0.24999806f, 0.20010427f, -0.16680197f, 0.14005733f, -0.12187446f,
                          0.13984609f, -0.12880222f});
  const V high = b.fma(e, b.f32(0x1p-23f * ln2_high), f.high);
  const V low = b.sub(f.high, b.fma(e, b.f32(-0x1p-23f * ln2_high), high));
  const V f_low = b.fma(b.neg(f.high), f.low, f.low);  // of log(1 + f), to first order
  const V small = b.fma(e, b.f32(0x1p-23f * ln2_low), b.add(low, f_low));
  return {high, b.fma(f.high, b.mul(f.high, r), small)};
}

/// log(u) for positive normal u.high < 2^127.
template <class B, class V>
V log_extended(B& b, const HighLow<V>& u) {
  const V bits = b.bitcast(u.high, i32);
  const V exponent = b.bit_and(b.sub(bits, b.i32(0x3f2aaaab)), b.i32(-0x00800000));
  const V scale = b.bitcast(b.sub(b.i32(0x3f800000), exponent), f32);
  const V f = b.sub(b.bitcast(b.sub(bits, exponent), f32), b.f32(1.0f));
  const HighLow<V> l = log_parts(b, b.convert(exponent, f32), {f, b.mul(u.low, scale)});
  return b.add(l.high, l.low);
}

/// log(1 + x) = e ln 2 + log(1 + f) for x > -1 with 1 + x < 2^126, f in [-1/3, 1/3]: f = x 2^-e + (2^-e - 1).
template <class V>
struct SplitLog1p {
  V e;
  HighLow<V> f;
  V scale;  ///< 2^-e
};

template <class B, class V>
SplitLog1p<V> split_log1p(B& b, V x) {
  const V bits = b.bitcast(b.add(x, b.f32(1.0f)), i32);
  const V exponent = b.bit_and(b.sub(bits, b.i32(0x3f2aaaab)), b.i32(-0x00800000));
  const V scale = b.bitcast(b.sub(b.i32(0x3f800000), exponent), f32);
  const V shift = b.sub(scale, b.f32(1.0f));
  const V f = b.fma(x, scale, shift);
  return {b.convert(exponent, f32), {f, b.fma(x, scale, b.sub(shift, f))}, scale};
}

/// log(1 + x) as high + low, for x as in split_log1p.
template <class B, class V>
HighLow<V> log1p_extended(B& b, const HighLow<V>& x) {
  const SplitLog1p<V> s = split_log1p(b, x.high);
  return log_parts(b, s.e, {s.f.high, b.fma(x.low, s.scale, s.f.low)});
}

template <class B, class V>
V log1p_half_normal(B& b, V x) {
  const SplitLog1p<V> s = split_log1p(b, x);
  return log_half_parts(b, SplitFloat<V>{s.e, s.f.high}, f16);
}

/// log1p of any x: `normal` is that of an x in (-1, 2^126 - 1), `large` the logarithm of a larger one.
template <class B, class V, class Normal, class Large>
V log1p_of_any(B& b, V x, Normal normal, Large large) {
  const V sum = b.add(x, b.f32(1.0f));
  const V outside = b.ge(b.sub(b.bitcast(sum, u32), b.u32(0x00800000)), b.u32(0x7e000000));
  return b.rare(outside, with_sign_of(b, normal(x), x), [&] {
    const V finite = b.bit_and(b.gt(x, b.f32(1.0f)), b.lt(x, b.f32(std::numeric_limits<float>::infinity())));
    return b.select(finite, large(x), log_special(b, sum));
  });
}

}  // namespace detail

/// log(1 + x), f32. log1p(-1) = -inf, log1p(x < -1) = NaN. Measured: at most 0.95 ulp; 30 instructions.
template <class B, class V>
V log1p_f32(B& b, V x) {
  using namespace detail;
  const auto normal = [&](V v) {
    const SplitLog1p<V> s = split_log1p(b, v);
    const HighLow<V> l = log_parts(b, s.e, s.f);
    return b.add(l.high, l.low);
  };
  return log1p_of_any(b, x, normal, [&](V v) { return log_normal(b, v, 0); });
}

/// log(1 + x) for a result of type f16 or bf16 (one definition).
///   f16: Measured: at most 0.082 ulp; 17 instructions.
///   bf16: Measured: at most 0.011 ulp; 17 instructions.
template <class B, class V>
V log1p_half(B& b, V x, DType) {
  using namespace detail;
  return log1p_of_any(
      b, x, [&](V v) { return log1p_half_normal(b, v); }, [&](V v) { return log_half_normal(b, v, f16, 0); });
}

}  // namespace sinter::scalar::math
