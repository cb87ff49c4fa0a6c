// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "src/scalar/math/host_builder.h"
#include "src/scalar/native.h"
#include "src/scalar/scalar_ops.h"

#ifdef __FAST_MATH__
#error "the reference must be compiled without fast-math"
#endif

namespace sinter::scalar {

template <class T>
concept Float = std::is_floating_point_v<T>;
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// What every row of scalar_ops.def means, on the C++ types of the compute types: one function a row, of the row's
/// name. Integers go through their unsigned type, where overflow wraps.
struct Reference {
  template <Integer T>
  static std::make_unsigned_t<T> wrapped(T a) {
    return static_cast<std::make_unsigned_t<T>>(a);
  }

  // arithmetic
  template <Float T>
  static T add(T a, T b) {
    return a + b;
  }
  template <Integer T>
  static T add(T a, T b) {
    return static_cast<T>(wrapped(a) + wrapped(b));
  }
  template <Float T>
  static T sub(T a, T b) {
    return a - b;
  }
  template <Integer T>
  static T sub(T a, T b) {
    return static_cast<T>(wrapped(a) - wrapped(b));
  }
  template <Float T>
  static T mul(T a, T b) {
    return a * b;
  }
  template <Integer T>
  static T mul(T a, T b) {
    return static_cast<T>(wrapped(a) * wrapped(b));
  }
  template <Float T>
  static T div(T a, T b) {
    return a / b;
  }
  template <Integer T>
  static T idiv(T a, T b) {
    if (b == 0) return static_cast<T>(~wrapped(T{0}));
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return neg(a);
    return a / b;
  }
  template <Integer T>
  static T irem(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return a % b;
  }
  template <Integer T>
  static T mul_hi(T a, T b) {
    using Narrow = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    using Product = std::conditional_t<sizeof(T) == 4, Narrow, Wide>;
    return static_cast<T>((static_cast<Product>(a) * static_cast<Product>(b)) >> (8 * sizeof(T)));
  }
  template <Float T>
  static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  template <Float T>
  static T neg(T a) {
    return -a;
  }
  template <Integer T>
  static T neg(T a) {
    return sub(T{0}, a);
  }
  template <Float T>
  static T abs(T a) {
    return std::fabs(a);
  }
  template <Integer T>
  static T abs(T a) {
    return a < T{0} ? neg(a) : a;
  }
  template <Float T>
  static T min(T a, T b) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
  template <std::integral T>
  static T min(T a, T b) {
    return a < b ? a : b;
  }
  template <Float T>
  static T max(T a, T b) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
  }
  template <std::integral T>
  static T max(T a, T b) {
    return a < b ? b : a;
  }
  template <Float T>
  static T sqrt(T a) {
    return std::sqrt(a);
  }
  template <Float T>
  static T floor(T a) {
    return std::floor(a);
  }
  template <Float T>
  static T ceil(T a) {
    return std::ceil(a);
  }
  template <Float T>
  static T trunc(T a) {
    return std::trunc(a);
  }
  template <Float T>
  static T round_even(T a) {
    return std::nearbyint(a);
  }
  template <Float T>
  static T fmod(T a, T b) {
    return std::fmod(a, b);
  }

  // bits and logic
  template <std::integral T>
  static T bit_and(T a, T b) {
    return static_cast<T>(a & b);
  }
  template <std::integral T>
  static T bit_or(T a, T b) {
    return static_cast<T>(a | b);
  }
  template <std::integral T>
  static T bit_xor(T a, T b) {
    return static_cast<T>(a ^ b);
  }
  static bool bit_not(bool a) { return !a; }
  template <Integer T>
  static T bit_not(T a) {
    return static_cast<T>(~a);
  }
  template <Integer T>
  static T shl(T a, T n) {
    return wrapped(n) >= 8 * sizeof(T) ? T{0} : static_cast<T>(wrapped(a) << wrapped(n));
  }
  template <Integer T>
  static T shr(T a, T n) {
    if (wrapped(n) >= 8 * sizeof(T)) return a < T{0} ? static_cast<T>(~T{0}) : T{0};
    return static_cast<T>(a >> n);
  }

  // comparison and choice
  template <class T>
  static bool lt(T a, T b) {
    return a < b;
  }
  template <class T>
  static bool le(T a, T b) {
    return a <= b;
  }
  template <class T>
  static bool eq(T a, T b) {
    return a == b;
  }
  template <class T>
  static bool ne(T a, T b) {
    return a != b;
  }
  template <class T>
  static T select(bool c, T a, T b) {
    return c ? a : b;
  }
  template <class T>
  static T rare(bool c, T fast, T slow) {
    return c ? slow : fast;
  }

  // change of type
  static Constant convert(const Constant& v, DType to) {
    return with_native(v.dtype, [&]<class From>(From) {
      return with_native(compute_type(to),
                         [&]<class To>(To) { return to_constant(convert_native<To>(from_constant<From>(v))); });
    });
  }
  static Constant bitcast(const Constant& v, DType to) { return {to, v.bits}; }
  static Constant round_to(const Constant& v, DType storage) {
    std::array<std::byte, 8> element{};
    store_element(element.data(), storage, v);
    return load_element(element.data(), storage);
  }

  // approximations
  static float ex2_approx(float a) { return math::HostBuilder().ex2_approx(math::HostValue(a)).f32; }
  static float lg2_approx(float a) { return math::HostBuilder().lg2_approx(math::HostValue(a)).f32; }
  static float rcp_approx(float a) { return math::HostBuilder().rcp_approx(math::HostValue(a)).f32; }
  static float rsqrt_approx(float a) { return math::HostBuilder().rsqrt_approx(math::HostValue(a)).f32; }
  static float tanh_approx(float a) { return math::HostBuilder().tanh_approx(math::HostValue(a)).f32; }

  // f64 transcendentals
  static double exp_f64(double a) { return std::exp(a); }
  static double log_f64(double a) { return std::log(a); }
  static double tanh_f64(double a) { return std::tanh(a); }
  static double erf_f64(double a) { return std::erf(a); }
  static double exp2_f64(double a) { return std::exp2(a); }
  static double expm1_f64(double a) { return std::expm1(a); }
  static double log2_f64(double a) { return std::log2(a); }
  static double log10_f64(double a) { return std::log10(a); }
  static double log1p_f64(double a) { return std::log1p(a); }
  static double sin_f64(double a) { return std::sin(a); }
  static double cos_f64(double a) { return std::cos(a); }
  static double tan_f64(double a) { return std::tan(a); }
  static double asin_f64(double a) { return std::asin(a); }
  static double acos_f64(double a) { return std::acos(a); }
  static double atan_f64(double a) { return std::atan(a); }
  static double sinh_f64(double a) { return std::sinh(a); }
  static double cosh_f64(double a) { return std::cosh(a); }
  static double asinh_f64(double a) { return std::asinh(a); }
  static double acosh_f64(double a) { return std::acosh(a); }
  static double atanh_f64(double a) { return std::atanh(a); }
  static double erfc_f64(double a) { return std::erfc(a); }
  static double atan2_f64(double a, double b) { return std::atan2(a, b); }
  static double hypot_f64(double a, double b) { return std::hypot(a, b); }
  static double pow_f64(double a, double b) { return std::pow(a, b); }
};

}  // namespace sinter::scalar
