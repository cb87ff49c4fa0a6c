// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/prelude_text.h"

namespace sinter::cuda {
namespace {

// Loads and stores of global memory are in memory_functions.cpp.
constexpr PreludePart parts[] = {
    {"sn_bitcast", R"(
template <class T, class F>
__device__ __forceinline__ T sn_bitcast(F v) {
  static_assert(sizeof(T) == sizeof(F), "");
  union { F from; T to; } u;
  u.from = v;
  return u.to;
}
)"},
    {"sn_negative", R"(
__device__ __forceinline__ bool sn_negative(float a) { return sn_bitcast<int>(a) < 0; }
__device__ __forceinline__ bool sn_negative(double a) { return sn_bitcast<long long>(a) < 0; }
)"},
    // ---- arithmetic: floats as they are, integers wrap
    {"sn_add", R"(
__device__ __forceinline__ float sn_add(float a, float b) { return a + b; }
__device__ __forceinline__ double sn_add(double a, double b) { return a + b; }
__device__ __forceinline__ unsigned sn_add(unsigned a, unsigned b) { return a + b; }
__device__ __forceinline__ unsigned long long sn_add(unsigned long long a, unsigned long long b) { return a + b; }
__device__ __forceinline__ int sn_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
__device__ __forceinline__ long long sn_add(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}
)"},
    {"sn_sub", R"(
__device__ __forceinline__ float sn_sub(float a, float b) { return a - b; }
__device__ __forceinline__ double sn_sub(double a, double b) { return a - b; }
__device__ __forceinline__ unsigned sn_sub(unsigned a, unsigned b) { return a - b; }
__device__ __forceinline__ unsigned long long sn_sub(unsigned long long a, unsigned long long b) { return a - b; }
__device__ __forceinline__ int sn_sub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }
__device__ __forceinline__ long long sn_sub(long long a, long long b) {
  return (long long)((unsigned long long)a - (unsigned long long)b);
}
)"},
    {"sn_mul", R"(
__device__ __forceinline__ float sn_mul(float a, float b) { return a * b; }
__device__ __forceinline__ double sn_mul(double a, double b) { return a * b; }
__device__ __forceinline__ unsigned sn_mul(unsigned a, unsigned b) { return a * b; }
__device__ __forceinline__ unsigned long long sn_mul(unsigned long long a, unsigned long long b) { return a * b; }
__device__ __forceinline__ int sn_mul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
__device__ __forceinline__ long long sn_mul(long long a, long long b) {
  return (long long)((unsigned long long)a * (unsigned long long)b);
}
)"},
    {"sn_div", R"(
__device__ __forceinline__ float sn_div(float a, float b) { return a / b; }
__device__ __forceinline__ double sn_div(double a, double b) { return a / b; }
)"},
    // x / 0 is all ones, MIN / -1 is MIN
    {"sn_idiv", R"(
__device__ __forceinline__ unsigned sn_idiv(unsigned a, unsigned b) { return b == 0 ? ~0u : a / b; }
__device__ __forceinline__ unsigned long long sn_idiv(unsigned long long a, unsigned long long b) {
  return b == 0 ? ~0ull : a / b;
}
__device__ __forceinline__ int sn_idiv(int a, int b) {
  return b == 0 ? -1 : b == -1 ? (int)(0u - (unsigned)a) : a / b;
}
__device__ __forceinline__ long long sn_idiv(long long a, long long b) {
  return b == 0 ? -1ll : b == -1 ? (long long)(0ull - (unsigned long long)a) : a / b;
}
)"},
    // x % 0 is x, MIN % -1 is 0
    {"sn_irem", R"(
__device__ __forceinline__ unsigned sn_irem(unsigned a, unsigned b) { return b == 0 ? a : a % b; }
__device__ __forceinline__ unsigned long long sn_irem(unsigned long long a, unsigned long long b) {
  return b == 0 ? a : a % b;
}
__device__ __forceinline__ int sn_irem(int a, int b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
__device__ __forceinline__ long long sn_irem(long long a, long long b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
)"},
    {"sn_mul_hi", R"(
__device__ __forceinline__ unsigned sn_mul_hi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
__device__ __forceinline__ int sn_mul_hi(int a, int b) { return (int)(((long long)a * b) >> 32); }
#ifdef SINTER_HOST
__device__ __forceinline__ unsigned long long sn_mul_hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
__device__ __forceinline__ long long sn_mul_hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
#else
__device__ __forceinline__ unsigned long long sn_mul_hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
__device__ __forceinline__ long long sn_mul_hi(long long a, long long b) { return __mul64hi(a, b); }
#endif
)"},
    {"sn_fma", R"(
__device__ __forceinline__ float sn_fma(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double sn_fma(double a, double b, double c) { return fma(a, b, c); }
)"},
    {"sn_neg", R"(
__device__ __forceinline__ float sn_neg(float a) { return -a; }
__device__ __forceinline__ double sn_neg(double a) { return -a; }
__device__ __forceinline__ unsigned sn_neg(unsigned a) { return 0u - a; }
__device__ __forceinline__ unsigned long long sn_neg(unsigned long long a) { return 0ull - a; }
__device__ __forceinline__ int sn_neg(int a) { return (int)(0u - (unsigned)a); }
__device__ __forceinline__ long long sn_neg(long long a) { return (long long)(0ull - (unsigned long long)a); }
)"},
    {"sn_abs", R"(
__device__ __forceinline__ float sn_abs(float a) { return fabsf(a); }
__device__ __forceinline__ double sn_abs(double a) { return fabs(a); }
__device__ __forceinline__ unsigned sn_abs(unsigned a) { return a; }
__device__ __forceinline__ unsigned long long sn_abs(unsigned long long a) { return a; }
__device__ __forceinline__ int sn_abs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
__device__ __forceinline__ long long sn_abs(long long a) {
  return a < 0 ? (long long)(0ull - (unsigned long long)a) : a;
}
)"},
    // NaN wins, -0 < +0
    {"sn_min", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_min(float a, float b) {
  return a != a ? a : b != b ? b : a == b ? (sn_negative(a) ? a : b) : a < b ? a : b;
}
#else
__device__ __forceinline__ float sn_min(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#endif
__device__ __forceinline__ double sn_min(double a, double b) {
  return a != a ? a : b != b ? b : a == b ? (sn_negative(a) ? a : b) : a < b ? a : b;
}
__device__ __forceinline__ int sn_min(int a, int b) { return a < b ? a : b; }
__device__ __forceinline__ unsigned sn_min(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ __forceinline__ long long sn_min(long long a, long long b) { return a < b ? a : b; }
__device__ __forceinline__ unsigned long long sn_min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__device__ __forceinline__ bool sn_min(bool a, bool b) { return a && b; }
)"},
    {"sn_max", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_max(float a, float b) {
  return a != a ? a : b != b ? b : a == b ? (sn_negative(a) ? b : a) : a < b ? b : a;
}
#else
__device__ __forceinline__ float sn_max(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#endif
__device__ __forceinline__ double sn_max(double a, double b) {
  return a != a ? a : b != b ? b : a == b ? (sn_negative(a) ? b : a) : a < b ? b : a;
}
__device__ __forceinline__ int sn_max(int a, int b) { return a < b ? b : a; }
__device__ __forceinline__ unsigned sn_max(unsigned a, unsigned b) { return a < b ? b : a; }
__device__ __forceinline__ long long sn_max(long long a, long long b) { return a < b ? b : a; }
__device__ __forceinline__ unsigned long long sn_max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
__device__ __forceinline__ bool sn_max(bool a, bool b) { return a || b; }
)"},
    {"sn_sqrt", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_sqrt(float a) { return sqrtf(a); }
__device__ __forceinline__ double sn_sqrt(double a) { return sqrt(a); }
#else
__device__ __forceinline__ float sn_sqrt(float a) { return __fsqrt_rn(a); }
__device__ __forceinline__ double sn_sqrt(double a) { return __dsqrt_rn(a); }
#endif
)"},
    {"sn_floor", R"(
__device__ __forceinline__ float sn_floor(float a) { return floorf(a); }
__device__ __forceinline__ double sn_floor(double a) { return floor(a); }
)"},
    {"sn_ceil", R"(
__device__ __forceinline__ float sn_ceil(float a) { return ceilf(a); }
__device__ __forceinline__ double sn_ceil(double a) { return ceil(a); }
)"},
    {"sn_trunc", R"(
__device__ __forceinline__ float sn_trunc(float a) { return truncf(a); }
__device__ __forceinline__ double sn_trunc(double a) { return trunc(a); }
)"},
    {"sn_round_even", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_round_even(float a) { return nearbyintf(a); }
__device__ __forceinline__ double sn_round_even(double a) { return nearbyint(a); }
#else
__device__ __forceinline__ float sn_round_even(float a) {
  float r;
  asm("cvt.rni.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
__device__ __forceinline__ double sn_round_even(double a) {
  double r;
  asm("cvt.rni.f64.f64 %0, %1;" : "=d"(r) : "d"(a));
  return r;
}
#endif
)"},
    // Exact: the remainder of C's fmod by long division in integers, one bit of quotient a step.
    {"sn_fmod", R"(
__device__ __noinline__ float sn_fmod(float x, float y) {
  const unsigned ax = sn_bitcast<unsigned>(x) & 0x7fffffffu, ay = sn_bitcast<unsigned>(y) & 0x7fffffffu;
  const unsigned sign = sn_bitcast<unsigned>(x) & 0x80000000u;
  if (ay == 0 || ax >= 0x7f800000u || ay > 0x7f800000u) return (x * y) / (x * y);
  if (ax < ay) return x;
  if (ax == ay) return sn_bitcast<float>(sign);
  int ex = (int)(ax >> 23), ey = (int)(ay >> 23);
  unsigned mx = ax & 0x7fffffu, my = ay & 0x7fffffu;
  if (ex == 0) ex = 1; else mx |= 0x800000u;
  if (ey == 0) ey = 1; else my |= 0x800000u;
  for (; mx < 0x800000u; --ex) mx <<= 1;
  for (; my < 0x800000u; --ey) my <<= 1;
  for (; ex > ey; --ex) {
    if (mx >= my) mx -= my;
    mx <<= 1;
  }
  if (mx >= my) mx -= my;
  if (mx == 0) return sn_bitcast<float>(sign);
  for (; mx < 0x800000u; --ey) mx <<= 1;
  return sn_bitcast<float>(sign | (ey < 1 ? mx >> (1 - ey) : ((unsigned)ey << 23) | (mx & 0x7fffffu)));
}
__device__ __forceinline__ double sn_fmod(double x, double y) { return fmod(x, y); }
)"},
    {"sn_not", R"(
__device__ __forceinline__ bool sn_not(bool a) { return !a; }
__device__ __forceinline__ int sn_not(int a) { return ~a; }
__device__ __forceinline__ unsigned sn_not(unsigned a) { return ~a; }
__device__ __forceinline__ long long sn_not(long long a) { return ~a; }
__device__ __forceinline__ unsigned long long sn_not(unsigned long long a) { return ~a; }
)"},
    // A shift past the width gives 0, or the sign.
    {"sn_shl", R"(
__device__ __forceinline__ unsigned sn_shl(unsigned a, unsigned n) { return n > 31u ? 0u : a << n; }
__device__ __forceinline__ int sn_shl(int a, int n) { return (unsigned)n > 31u ? 0 : (int)((unsigned)a << n); }
__device__ __forceinline__ unsigned long long sn_shl(unsigned long long a, unsigned long long n) {
  return n > 63ull ? 0ull : a << n;
}
__device__ __forceinline__ long long sn_shl(long long a, long long n) {
  return (unsigned long long)n > 63ull ? 0ll : (long long)((unsigned long long)a << n);
}
)"},
    {"sn_shr", R"(
__device__ __forceinline__ unsigned sn_shr(unsigned a, unsigned n) { return n > 31u ? 0u : a >> n; }
__device__ __forceinline__ int sn_shr(int a, int n) { return a >> ((unsigned)n > 31u ? 31 : n); }
__device__ __forceinline__ unsigned long long sn_shr(unsigned long long a, unsigned long long n) {
  return n > 63ull ? 0ull : a >> n;
}
__device__ __forceinline__ long long sn_shr(long long a, long long n) {
  return a >> ((unsigned long long)n > 63ull ? 63 : n);
}
)"},
    // ---- conversions: float -> int saturates, NaN gives 0
    {"sn_saturate", R"(
template <class T, class F>
__device__ __forceinline__ T sn_saturate(F v, F low, F high, T min, T max) {
  return v != v ? T(0) : v <= low ? min : v >= high ? max : (T)v;
}
)"},
    {"sn_float_to", R"(
template <class T> __device__ __forceinline__ T sn_float_to(float v) { return (T)v; }
template <class T> __device__ __forceinline__ T sn_float_to(double v) { return (T)v; }
template <> __device__ __forceinline__ bool sn_float_to<bool>(float v) { return v != 0.0f; }
template <> __device__ __forceinline__ bool sn_float_to<bool>(double v) { return v != 0.0; }
#ifdef SINTER_HOST
template <> __device__ __forceinline__ int sn_float_to<int>(float v) {
  return sn_saturate<int>(v, -2147483648.0f, 2147483648.0f, -2147483647 - 1, 2147483647);
}
template <> __device__ __forceinline__ unsigned sn_float_to<unsigned>(float v) {
  return sn_saturate<unsigned>(v, 0.0f, 4294967296.0f, 0u, 4294967295u);
}
#else
// The instruction saturates and gives 0 for NaN.
template <> __device__ __forceinline__ int sn_float_to<int>(float v) {
  int r;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
}
template <> __device__ __forceinline__ unsigned sn_float_to<unsigned>(float v) {
  unsigned r;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
}
#endif
template <> __device__ __forceinline__ long long sn_float_to<long long>(float v) {
  return sn_saturate<long long>(v, -9223372036854775808.0f, 9223372036854775808.0f, -9223372036854775807ll - 1,
                                9223372036854775807ll);
}
template <> __device__ __forceinline__ unsigned long long sn_float_to<unsigned long long>(float v) {
  return sn_saturate<unsigned long long>(v, 0.0f, 18446744073709551616.0f, 0ull, ~0ull);
}
template <> __device__ __forceinline__ int sn_float_to<int>(double v) {
  return sn_saturate<int>(v, -2147483648.0, 2147483647.0, -2147483647 - 1, 2147483647);
}
template <> __device__ __forceinline__ unsigned sn_float_to<unsigned>(double v) {
  return sn_saturate<unsigned>(v, 0.0, 4294967295.0, 0u, 4294967295u);
}
template <> __device__ __forceinline__ long long sn_float_to<long long>(double v) {
  return sn_saturate<long long>(v, -9223372036854775808.0, 9223372036854775808.0, -9223372036854775807ll - 1,
                                9223372036854775807ll);
}
template <> __device__ __forceinline__ unsigned long long sn_float_to<unsigned long long>(double v) {
  return sn_saturate<unsigned long long>(v, 0.0, 18446744073709551616.0, 0ull, ~0ull);
}
)"},
    {"sn_convert", R"(
template <class T> struct sn_cv { template <class F> static __device__ __forceinline__ T of(F v) { return (T)v; }
  static __device__ __forceinline__ T of(float v) { return sn_float_to<T>(v); }
  static __device__ __forceinline__ T of(double v) { return sn_float_to<T>(v); } };
template <> struct sn_cv<bool> { template <class F> static __device__ __forceinline__ bool of(F v) { return v != F(0); } };
template <class T, class F> __device__ __forceinline__ T sn_convert(F v) { return sn_cv<T>::of(v); }
)"},
    // ---- storage formats
    {"sn_f16_bits", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ unsigned sn_f16_bits(float v) { return sinter_host_f16_bits(v); }
#else
__device__ __forceinline__ unsigned sn_f16_bits(float v) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
  return h;
}
#endif
)"},
    {"sn_f16x2_bits", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ unsigned sn_f16x2_bits(float lo, float hi) {
  return sinter_host_f16_bits(lo) | sinter_host_f16_bits(hi) << 16;
}
#else
__device__ __forceinline__ unsigned sn_f16x2_bits(float lo, float hi) {
  unsigned r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
#endif
)"},
    {"sn_f16_float", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_f16_float(unsigned h) { return sinter_host_f16_float(h & 0xffffu); }
#else
__device__ __forceinline__ float sn_f16_float(unsigned h) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"((unsigned short)h));
  return r;
}
#endif
)"},
    {"sn_bf16_bits", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ unsigned sn_bf16_bits(float v) { return sinter_host_bf16_bits(v); }
#else
__device__ __forceinline__ unsigned sn_bf16_bits(float v) {
  unsigned short h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(v));
  return h;
}
#endif
)"},
    {"sn_bf16x2_bits", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ unsigned sn_bf16x2_bits(float lo, float hi) {
  return sinter_host_bf16_bits(lo) | sinter_host_bf16_bits(hi) << 16;
}
#else
__device__ __forceinline__ unsigned sn_bf16x2_bits(float lo, float hi) {
  unsigned r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
  return r;
}
#endif
)"},
    {"sn_bf16_float", R"(
__device__ __forceinline__ float sn_bf16_float(unsigned h) { return sn_bitcast<float>(h << 16); }
)"},
    {"sn_round_to_f16", R"(
__device__ __forceinline__ float sn_round_to_f16(float v) { return sn_f16_float(sn_f16_bits(v)); }
)"},
    {"sn_round_to_bf16", R"(
__device__ __forceinline__ float sn_round_to_bf16(float v) { return sn_bf16_float(sn_bf16_bits(v)); }
)"},
    {"sn_round_to_i8", "__device__ __forceinline__ int sn_round_to_i8(int v) { return (signed char)v; }\n"},
    {"sn_round_to_i16", "__device__ __forceinline__ int sn_round_to_i16(int v) { return (short)v; }\n"},
    {"sn_round_to_u8", "__device__ __forceinline__ unsigned sn_round_to_u8(unsigned v) { return v & 0xffu; }\n"},
    {"sn_round_to_u16", "__device__ __forceinline__ unsigned sn_round_to_u16(unsigned v) { return v & 0xffffu; }\n"},
    {"sn_round_to_f32", "__device__ __forceinline__ float sn_round_to_f32(float v) { return v; }\n"},
    {"sn_round_to_f64", "__device__ __forceinline__ double sn_round_to_f64(double v) { return v; }\n"},
    {"sn_round_to_i32", "__device__ __forceinline__ int sn_round_to_i32(int v) { return v; }\n"},
    {"sn_round_to_u32", "__device__ __forceinline__ unsigned sn_round_to_u32(unsigned v) { return v; }\n"},
    {"sn_round_to_i64", "__device__ __forceinline__ long long sn_round_to_i64(long long v) { return v; }\n"},
    {"sn_round_to_u64",
     "__device__ __forceinline__ unsigned long long sn_round_to_u64(unsigned long long v) { return v; }\n"},
    {"sn_round_to_boolean", "__device__ __forceinline__ bool sn_round_to_boolean(bool v) { return v; }\n"},
    // ---- approximations
    {"sn_ex2_approx", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_ex2_approx(float v) {
  float x = v < -126.0f ? -126.0f : v;
  x = x > 129.0f ? 129.0f : x;
  const float t = x + 12582912.0f, r = x - (t - 12582912.0f);
  float p = 2 * 0.00015328598f;
  p = fmaf(p, r, 2 * 0.0013390988f);
  p = fmaf(p, r, 2 * 0.009618501f);
  p = fmaf(p, r, 2 * 0.055503596f);
  p = fmaf(p, r, 2 * 0.24022648f);
  p = fmaf(p, r, 2 * 0.6931472f);
  p = fmaf(p, r, 2.0f);
  return p * __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, t) << 23) + (126u << 23));
}
#else
__device__ __forceinline__ float sn_ex2_approx(float v) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#endif
)"},
    {"sn_lg2_approx", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_lg2_approx(float v) {
  const bool small = v < 0x1p-126f;
  const unsigned bits = __builtin_bit_cast(unsigned, small ? v * 0x1p23f : v);
  const int exponent = (int)((bits - 0x3f2aaaabu) & 0xff800000u);
  const float f = __builtin_bit_cast(float, bits - (unsigned)exponent) - 1.0f;
  const float e = fmaf((float)exponent, 0x1p-23f, small ? -23.0f : 0.0f);
  float p = -0.17938896f;
  p = fmaf(p, f, 0.20364723f);
  p = fmaf(p, f, -0.17738909f);
  p = fmaf(p, f, 0.20159794f);
  p = fmaf(p, f, -0.2405219f);
  p = fmaf(p, f, 0.28872654f);
  p = fmaf(p, f, -0.36067417f);
  p = fmaf(p, f, 0.48089558f);
  p = fmaf(p, f, -0.7213475f);
  p = fmaf(p, f, 1.442695f);
  const float y = v < __builtin_inff() ? fmaf(f, p, e) : v;
  return v == 0.0f ? -__builtin_inff() : v < 0.0f ? __builtin_nanf("") : y;
}
#else
__device__ __forceinline__ float sn_lg2_approx(float v) {
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#endif
)"},
    {"sn_rcp_approx", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_rcp_approx(float v) { return 1.0f / v; }
#else
__device__ __forceinline__ float sn_rcp_approx(float v) {
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#endif
)"},
    {"sn_rsqrt_approx", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_rsqrt_approx(float v) { return 1.0f / sqrtf(v); }
#else
__device__ __forceinline__ float sn_rsqrt_approx(float v) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#endif
)"},
    {"sn_tanh_approx", R"(
#ifdef SINTER_HOST
__device__ __forceinline__ float sn_tanh_approx(float v) {
  float c = v < -5.0f ? -5.0f : v;
  c = c > 5.0f ? 5.0f : c;
  const float z = c * c;
  const float p = fmaf(fmaf(0.000666648534f, z, 0.102260168f), z, 0.999950786f);
  const float q = fmaf(fmaf(0.0127763092f, z, 0.435247413f), z, 1.0f);
  float y = __builtin_bit_cast(float, 0x7ef33400u - __builtin_bit_cast(unsigned, q));
  y = y * fmaf(-q, y, 2.00128f);
  return c * p * (y * fmaf(-q, y, 2.0000008f));
}
#else
__device__ __forceinline__ float sn_tanh_approx(float v) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#endif
)"},
    // ---- elements of loaded words, and of words to be stored
    {"sn_get_boolean",
     "__device__ __forceinline__ bool sn_get_boolean(const unsigned* w, int j) { return (w[j >> 2] >> 8 * (j & 3) & "
     "0xffu) != 0; }\n"},
    {"sn_get_u8",
     "__device__ __forceinline__ unsigned sn_get_u8(const unsigned* w, int j) { return w[j >> 2] >> 8 * (j & 3) & "
     "0xffu; }\n"},
    {"sn_get_i8",
     "__device__ __forceinline__ int sn_get_i8(const unsigned* w, int j) { return (signed char)(w[j >> 2] >> 8 * (j & "
     "3)); }\n"},
    {"sn_get_u16",
     "__device__ __forceinline__ unsigned sn_get_u16(const unsigned* w, int j) { return w[j >> 1] >> 16 * (j & 1) & "
     "0xffffu; }\n"},
    {"sn_get_i16",
     "__device__ __forceinline__ int sn_get_i16(const unsigned* w, int j) { return (short)(w[j >> 1] >> 16 * (j & 1)); "
     "}\n"},
    {"sn_get_f16",
     "__device__ __forceinline__ float sn_get_f16(const unsigned* w, int j) { return sn_f16_float(w[j >> 1] >> 16 * (j "
     "& 1)); }\n"},
    {"sn_get_bf16",
     "__device__ __forceinline__ float sn_get_bf16(const unsigned* w, int j) { return sn_bf16_float(w[j >> 1] >> 16 * "
     "(j & 1)); }\n"},
    {"sn_get_u32", "__device__ __forceinline__ unsigned sn_get_u32(const unsigned* w, int j) { return w[j]; }\n"},
    {"sn_get_i32", "__device__ __forceinline__ int sn_get_i32(const unsigned* w, int j) { return (int)w[j]; }\n"},
    {"sn_get_f32",
     "__device__ __forceinline__ float sn_get_f32(const unsigned* w, int j) { return sn_bitcast<float>(w[j]); }\n"},
    {"sn_get_u64",
     "__device__ __forceinline__ unsigned long long sn_get_u64(const unsigned* w, int j) { return (unsigned long "
     "long)w[2 * j + 1] << 32 | w[2 * j]; }\n"},
    {"sn_get_i64",
     "__device__ __forceinline__ long long sn_get_i64(const unsigned* w, int j) { return (long long)((unsigned long "
     "long)w[2 * j + 1] << 32 | w[2 * j]); }\n"},
    {"sn_get_f64",
     "__device__ __forceinline__ double sn_get_f64(const unsigned* w, int j) { return sn_bitcast<double>((unsigned "
     "long long)w[2 * j + 1] << 32 | w[2 * j]); }\n"},
    // Small integers as floats without a conversion, which is slow: the bits of 2^23 + x, minus 2^23. Signed ones are
    // moved up by half their range first.
    {"sn_select_bytes", R"(
__device__ __forceinline__ unsigned sn_select_bytes(unsigned a, unsigned b, unsigned which) {
#ifdef SINTER_HOST
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned)(bytes >> 8 * (which >> 4 * i & 7) & 0xff) << 8 * i;
  return r;
#else
  return __byte_perm(a, b, which);
#endif
}
)"},
    {"sn_float_u8", R"(
__device__ __forceinline__ float sn_float_u8(const unsigned* w, int j) {
  return sn_bitcast<float>(sn_select_bytes(w[j >> 2], 0x4b000000u, 0x7650u | (j & 3))) - 8388608.0f;
}
)"},
    {"sn_float_i8", R"(
__device__ __forceinline__ float sn_float_i8(const unsigned* w, int j) {
  return sn_bitcast<float>(sn_select_bytes(w[j >> 2] ^ 0x80808080u, 0x4b000000u, 0x7650u | (j & 3))) - 8388736.0f;
}
)"},
    {"sn_float_u16", R"(
__device__ __forceinline__ float sn_float_u16(const unsigned* w, int j) {
  return sn_bitcast<float>(sn_select_bytes(w[j >> 1], 0x4b000000u, (j & 1) == 0 ? 0x7610u : 0x7632u)) - 8388608.0f;
}
)"},
    {"sn_float_i16", R"(
__device__ __forceinline__ float sn_float_i16(const unsigned* w, int j) {
  return sn_bitcast<float>(sn_select_bytes(w[j >> 1] ^ 0x80008000u, 0x4b000000u, (j & 1) == 0 ? 0x7610u : 0x7632u)) -
         8421376.0f;
}
)"},
    {"sn_put_boolean",
     "__device__ __forceinline__ void sn_put_boolean(unsigned* w, int j, bool v) { w[j >> 2] |= (unsigned)v << 8 * (j "
     "& 3); }\n"},
    {"sn_put_u8",
     "__device__ __forceinline__ void sn_put_u8(unsigned* w, int j, unsigned v) { w[j >> 2] |= (v & 0xffu) << 8 * (j & "
     "3); }\n"},
    {"sn_put_i8",
     "__device__ __forceinline__ void sn_put_i8(unsigned* w, int j, int v) { w[j >> 2] |= ((unsigned)v & 0xffu) << 8 * "
     "(j & 3); }\n"},
    {"sn_put_u16",
     "__device__ __forceinline__ void sn_put_u16(unsigned* w, int j, unsigned v) { w[j >> 1] |= (v & 0xffffu) << 16 * "
     "(j & 1); }\n"},
    {"sn_put_i16",
     "__device__ __forceinline__ void sn_put_i16(unsigned* w, int j, int v) { w[j >> 1] |= ((unsigned)v & 0xffffu) << "
     "16 * (j & 1); }\n"},
    {"sn_put_f16",
     "__device__ __forceinline__ void sn_put_f16(unsigned* w, int j, float v) { w[j >> 1] |= sn_f16_bits(v) << 16 * (j "
     "& 1); }\n"},
    {"sn_put_bf16",
     "__device__ __forceinline__ void sn_put_bf16(unsigned* w, int j, float v) { w[j >> 1] |= sn_bf16_bits(v) << 16 * "
     "(j & 1); }\n"},
    {"sn_put2_f16",
     "__device__ __forceinline__ void sn_put2_f16(unsigned* w, int j, float a, float b) { w[j >> 1] = sn_f16x2_bits(a, "
     "b); }\n"},
    {"sn_put2_bf16",
     "__device__ __forceinline__ void sn_put2_bf16(unsigned* w, int j, float a, float b) { w[j >> 1] = "
     "sn_bf16x2_bits(a, b); }\n"},
    {"sn_put_u32", "__device__ __forceinline__ void sn_put_u32(unsigned* w, int j, unsigned v) { w[j] = v; }\n"},
    {"sn_put_i32", "__device__ __forceinline__ void sn_put_i32(unsigned* w, int j, int v) { w[j] = (unsigned)v; }\n"},
    {"sn_put_f32",
     "__device__ __forceinline__ void sn_put_f32(unsigned* w, int j, float v) { w[j] = sn_bitcast<unsigned>(v); }\n"},
    {"sn_put_u64",
     "__device__ __forceinline__ void sn_put_u64(unsigned* w, int j, unsigned long long v) { w[2 * j] = (unsigned)v; "
     "w[2 * j + 1] = (unsigned)(v >> 32); }\n"},
    {"sn_put_i64",
     "__device__ __forceinline__ void sn_put_i64(unsigned* w, int j, long long v) { w[2 * j] = (unsigned)v; w[2 * j + "
     "1] = (unsigned)((unsigned long long)v >> 32); }\n"},
    {"sn_put_f64",
     "__device__ __forceinline__ void sn_put_f64(unsigned* w, int j, double v) { const unsigned long long b = "
     "sn_bitcast<unsigned long long>(v); w[2 * j] = (unsigned)b; w[2 * j + 1] = (unsigned)(b >> 32); }\n"},
    // ---- memory: N bytes as 32-bit words (1- and 2-byte accesses fill the low part of one word)
    // Masks compare coordinates of a tile with what is left of a dim, both as small integers.
    {"sn_clamp", R"(
__device__ __forceinline__ int sn_clamp(long long v) { return v < 0 ? 0 : v > 0x40000000 ? 0x40000000 : (int)v; }
)"},
    {"sn_span", R"(
__device__ __forceinline__ unsigned sn_span(long long origin, long long extent) {
  const int first = sn_clamp(-origin), end = sn_clamp(extent - origin);
  return end > first ? end - first : 0;
}
)"},
    {"sn_words", R"(
template <int N> struct alignas(N < 4 ? 4 : N) sn_words { unsigned w[N < 4 ? 1 : N / 4]; };
)"},
    // elements as they are stored, each in words of its own
    {"sn_get_raw_1",
     "__device__ __forceinline__ sn_words<1> sn_get_raw_1(const unsigned* w, int j) { return {w[j >> 2] >> 8 * (j & 3) "
     "& 0xffu}; }\n"},
    {"sn_get_raw_2",
     "__device__ __forceinline__ sn_words<2> sn_get_raw_2(const unsigned* w, int j) { return {w[j >> 1] >> 16 * (j & "
     "1) & 0xffffu}; }\n"},
    {"sn_get_raw_4",
     "__device__ __forceinline__ sn_words<4> sn_get_raw_4(const unsigned* w, int j) { return {w[j]}; }\n"},
    {"sn_get_raw_8",
     "__device__ __forceinline__ sn_words<8> sn_get_raw_8(const unsigned* w, int j) { return {w[2 * j], w[2 * j + 1]}; "
     "}\n"},
    {"sn_put_raw_1",
     "__device__ __forceinline__ void sn_put_raw_1(unsigned* w, int j, sn_words<1> v) { w[j >> 2] |= v.w[0] << 8 * (j "
     "& 3); }\n"},
    {"sn_put_raw_2",
     "__device__ __forceinline__ void sn_put_raw_2(unsigned* w, int j, sn_words<2> v) { w[j >> 1] |= v.w[0] << 16 * (j "
     "& 1); }\n"},
    {"sn_put_raw_4",
     "__device__ __forceinline__ void sn_put_raw_4(unsigned* w, int j, sn_words<4> v) { w[j] = v.w[0]; }\n"},
    {"sn_put_raw_8",
     "__device__ __forceinline__ void sn_put_raw_8(unsigned* w, int j, sn_words<8> v) { w[2 * j] = v.w[0]; w[2 * j + "
     "1] = v.w[1]; }\n"},
    {"sn_shared_load", R"(
template <int N> __device__ __forceinline__ sn_words<N> sn_shared_load(const unsigned char* p) {
#ifdef SINTER_HOST
  sn_words<N> r = {};
  sinter_host_shared_load(&r, p, N);
  return r;
#else
  if constexpr (N == 1) return {*p};
  else if constexpr (N == 2) return {*(const unsigned short*)p};
  else return *(const sn_words<N>*)p;
#endif
}
)"},
    {"sn_shared_store", R"(
template <int N> __device__ __forceinline__ void sn_shared_store(unsigned char* p, const sn_words<N>& v) {
#ifdef SINTER_HOST
  sinter_host_shared_store(p, &v, N);
#else
  if constexpr (N == 1) *p = (unsigned char)v.w[0];
  else if constexpr (N == 2) *(unsigned short*)p = (unsigned short)v.w[0];
  else *(sn_words<N>*)p = v;
#endif
}
)"},
    {"sn_shared_get", R"(
template <class T> __device__ __forceinline__ T sn_shared_get(const unsigned char* p) {
  if constexpr (sizeof(T) < 4) return (T)sn_shared_load<4>(p).w[0];
  else return sn_bitcast<T>(sn_shared_load<sizeof(T)>(p));
}
)"},
    {"sn_shared_put", R"(
template <class T> __device__ __forceinline__ void sn_shared_put(unsigned char* p, T v) {
  if constexpr (sizeof(T) < 4) sn_shared_store<4>(p, {(unsigned)v});
  else sn_shared_store<sizeof(T)>(p, sn_bitcast<sn_words<sizeof(T)>>(v));
}
)"},
    // ---- between threads
    {"sn_shuffle_xor", R"(
__device__ __forceinline__ unsigned sn_shuffle_xor(unsigned v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
template <class T> __device__ __forceinline__ T sn_shuffle_xor(T v, int mask) {
  if constexpr (sizeof(T) == 8) {
    const unsigned long long b = sn_bitcast<unsigned long long>(v);
    const unsigned lo = sn_shuffle_xor((unsigned)b, mask), hi = sn_shuffle_xor((unsigned)(b >> 32), mask);
    return sn_bitcast<T>(((unsigned long long)hi << 32) | lo);
  } else if constexpr (sizeof(T) == 4) {
    return sn_bitcast<T>(sn_shuffle_xor(sn_bitcast<unsigned>(v), mask));
  } else {
    return (T)sn_shuffle_xor((unsigned)v, mask);
  }
}
)"},
    {"sn_shuffle", R"(
__device__ __forceinline__ unsigned sn_shuffle(unsigned v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
template <class T> __device__ __forceinline__ T sn_shuffle(T v, int lane) {
  if constexpr (sizeof(T) == 8) {
    const unsigned long long b = sn_bitcast<unsigned long long>(v);
    const unsigned lo = sn_shuffle((unsigned)b, lane), hi = sn_shuffle((unsigned)(b >> 32), lane);
    return sn_bitcast<T>(((unsigned long long)hi << 32) | lo);
  } else if constexpr (sizeof(T) == 4) {
    return sn_bitcast<T>(sn_shuffle(sn_bitcast<unsigned>(v), lane));
  } else {
    return (T)sn_shuffle((unsigned)v, lane);
  }
}
)"},
    {"sn_arrive", R"(
// True in the block that comes last of `count`: it sees what the others stored before they came. Leaves the word 0.
__device__ __forceinline__ bool sn_arrive(unsigned* word, unsigned count) {
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(word, 1u) == count - 1;
    __threadfence();
    if (last) *word = 0;
  }
  return __syncthreads_or(last);
}
)"},
    {"sn_ticket", R"(
// How many of `count` blocks took a ticket before this one. Leaves the word 0.
__device__ __forceinline__ unsigned sn_ticket(unsigned* word, unsigned count, unsigned char* shared) {
  if (threadIdx.x == 0) {
    sn_words<4> number = {};
    number.w[0] = atomicInc(word, count - 1);
    sn_shared_store<4>(shared, number);
  }
  __syncthreads();
  return sn_shared_load<4>(shared).w[0];
}
)"},
    {"sn_look_back", R"(
// The blocks of a scan leave what they end with, in H halves of 32 bits, in a ring of `places` behind word 4: each half
// is a word with a tag, which says of which round through the ring it is, and whether it is what that block alone ends
// with or, in its lowest bit, that with all before it. A thread waits for one of the blocks before; from the nearest one
// that is whole, thread 0 combines from left to right. Word 1 counts who is done; the last block clears the ring.
template <int H, unsigned places>
struct sn_ring {
  unsigned* words;
  __device__ __forceinline__ volatile unsigned long long* place(unsigned number) const {
    return (volatile unsigned long long*)(words + 4) + number % places * H;
  }
  __device__ __forceinline__ static unsigned tag(unsigned number) { return (number / places + 1u) * 2u; }
  __device__ __forceinline__ void put(unsigned number, const unsigned (&v)[H], unsigned whole) const {
    for (int h = 0; h < H; ++h) place(number)[h] = (unsigned long long)(tag(number) | whole) << 32 | v[h];
  }
  // Waits until the block left something; is it whole?
  __device__ __forceinline__ bool wait(unsigned number, unsigned (&v)[H]) const {
    for (;;) {
      const unsigned long long first = place(number)[0];
      const unsigned is = (unsigned)(first >> 32);
      bool same = (is & ~1u) == tag(number);
      v[0] = (unsigned)first;
      for (int h = 1; h < H; ++h) {
        const unsigned long long next = place(number)[h];
        same = same && (unsigned)(next >> 32) == is;
        v[h] = (unsigned)next;
      }
      if (same) return is & 1u;
    }
  }
  __device__ __forceinline__ void finish(unsigned number, unsigned count) const {
    if (threadIdx.x == 0) {
      __threadfence();
      atomicInc(words + 1, ~0u);
    }
    if (number != count - 1) return;
    if (threadIdx.x == 0) {
      while (*(volatile unsigned*)(words + 1) != count) {}
      words[1] = 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < places * H; i += blockDim.x) place(0)[i] = 0;
  }
};
template <int H>
__device__ __forceinline__ void sn_put_halves(unsigned char* shared, const unsigned (&v)[H]) {
  for (int h = 0; h < H; ++h) {
    sn_words<4> w = {};
    w.w[0] = v[h];
    sn_shared_store<4>(shared + 4 * h, w);
  }
}
template <int H>
__device__ __forceinline__ void sn_get_halves(const unsigned char* shared, unsigned (&v)[H]) {
  for (int h = 0; h < H; ++h) v[h] = sn_shared_load<4>(shared + 4 * h).w[0];
}
template <int H, unsigned places, class F>
__device__ __forceinline__ void sn_look_back(unsigned* words, unsigned char* shared, unsigned number, unsigned piece,
                                             unsigned count, const unsigned (&own)[H], unsigned (&before)[H], F combine) {
  const sn_ring<H, places> ring{words};
  if (threadIdx.x == 0) ring.put(number, own, piece == 0);
  for (int h = 0; h < H; ++h) before[h] = own[h];
  if (piece != 0) {
    const unsigned seen = piece < blockDim.x ? piece : blockDim.x, warps = blockDim.x / 32u;
    unsigned char* const nearest_of_warps = shared + 4 * H * blockDim.x;
    unsigned char* const result = nearest_of_warps + 4 * warps;
    unsigned nearest;
    do {
      unsigned mine = seen, v[H];
      if (threadIdx.x < seen) {
        if (ring.wait(number - 1u - threadIdx.x, v)) mine = threadIdx.x;
        sn_put_halves<H>(shared + 4 * H * threadIdx.x, v);
      }
      for (int lanes = 1; lanes < 32; lanes *= 2) {
        const unsigned other = sn_shuffle_xor(mine, lanes);
        mine = other < mine ? other : mine;
      }
      const unsigned of_warp[1] = {mine};
      if (threadIdx.x % 32u == 0) sn_put_halves<1>(nearest_of_warps + threadIdx.x / 32u * 4u, of_warp);
      __syncthreads();
      nearest = seen;
      for (unsigned w = 0; w < warps; ++w) {
        unsigned other[1];
        sn_get_halves<1>(nearest_of_warps + 4 * w, other);
        nearest = other[0] < nearest ? other[0] : nearest;
      }
      if (nearest == seen) __syncthreads();
    } while (nearest == seen);
    if (threadIdx.x == 0) {
      unsigned all[H];
      sn_get_halves<H>(shared + 4 * H * nearest, before);
      #pragma unroll 8
      for (unsigned t = nearest; t-- > 0;) {
        unsigned v[H];
        sn_get_halves<H>(shared + 4 * H * t, v);
        combine(before, v, before);
      }
      combine(before, own, all);
      ring.put(number, all, 1u);
      sn_put_halves<H>(result, before);
    }
    __syncthreads();
    sn_get_halves<H>(result, before);
  }
  ring.finish(number, count);
}
)"},
    {"sn_accumulate_sum", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_sum(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = sn_add(*p, v);
#else
  // The sum of signed integers has the bits of the unsigned one.
  if constexpr (sizeof(T) == 8)
    atomicAdd((unsigned long long*)p, (unsigned long long)v);
  else
    atomicAdd((unsigned*)p, (unsigned)v);
#endif
}
)"},
    {"sn_accumulate_max", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_max(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = *p < v ? v : *p;
#else
  atomicMax(p, v);
#endif
}
)"},
    {"sn_accumulate_min", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_min(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = v < *p ? v : *p;
#else
  atomicMin(p, v);
#endif
}
)"},
    {"sn_report", R"(
__device__ __forceinline__ void sn_report(unsigned long long* status, unsigned long long word) {
  if (*(volatile unsigned long long*)status == 0) atomicCAS(status, 0ull, word);
}
)"},
};

}  // namespace

std::span<const PreludePart> prelude_parts() { return parts; }

}  // namespace sinter::cuda
