// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/error.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/scalar/scalar_ops.h"

namespace sinter::scalar {

/// Calls f with a value of the C++ type of a compute type.
template <class F>
auto with_native(DType t, const F& f) {
  if (t == boolean) return f(bool{});
  if (t == i32) return f(int32_t{});
  if (t == u32) return f(uint32_t{});
  if (t == i64) return f(int64_t{});
  if (t == u64) return f(uint64_t{});
  if (t == f64) return f(double{});
  if (t == f32) return f(float{});
  throw CompileError("internal: not a compute type");
}

template <class T>
T from_constant(const Constant& c) {
  if constexpr (std::is_same_v<T, bool>)
    return c.bits != 0;
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(c.bits));
  else
    return std::bit_cast<T>(c.bits);
}

template <class T>
Constant to_constant(T v) {
  if constexpr (std::is_same_v<T, bool>)
    return {boolean, v};
  else if constexpr (sizeof(T) == 4)
    return {dtype_of<T>(), std::bit_cast<uint32_t>(v)};
  else
    return {dtype_of<T>(), std::bit_cast<uint64_t>(v)};
}

/// The convert rule: float to integer truncates, saturates, and turns NaN into 0.
template <class To, class From>
To convert_native(From v) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (v != v) return 0;
    constexpr int digits = std::numeric_limits<To>::digits;
    const From limit = std::ldexp(From(1), digits);  // max + 1, exact in every float type
    if (v >= limit) return std::numeric_limits<To>::max();
    if (v < (std::is_signed_v<To> ? -limit : From(0))) return std::numeric_limits<To>::min();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

}  // namespace sinter::scalar
