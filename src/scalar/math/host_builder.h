// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/scalar/math/hardware.h"

// The value's kind is known wherever the expansion is written; inlining lets the compiler see it, so that a loop over
// an expansion becomes plain vector code.
#define SINTER_MATH_INLINE inline __attribute__((always_inline))

namespace sinter::scalar::math {

enum class HostKind : uint8_t { boolean, i32, u32, i64, u64, f32, f64 };

/// A value of one of the seven compute types. Only the member that `kind` names means something (no union: separate
/// members are what compilers split into registers).
struct HostValue {
  HostKind kind = HostKind::boolean;
  bool b = false;
  int32_t i32 = 0;
  uint32_t u32 = 0;
  int64_t i64 = 0;
  uint64_t u64 = 0;
  float f32 = 0;
  double f64 = 0;

  SINTER_MATH_INLINE explicit HostValue(bool v) : kind(HostKind::boolean), b(v) {}
  SINTER_MATH_INLINE explicit HostValue(int32_t v) : kind(HostKind::i32), i32(v) {}
  SINTER_MATH_INLINE explicit HostValue(uint32_t v) : kind(HostKind::u32), u32(v) {}
  SINTER_MATH_INLINE explicit HostValue(int64_t v) : kind(HostKind::i64), i64(v) {}
  SINTER_MATH_INLINE explicit HostValue(uint64_t v) : kind(HostKind::u64), u64(v) {}
  SINTER_MATH_INLINE explicit HostValue(float v) : kind(HostKind::f32), f32(v) {}
  SINTER_MATH_INLINE explicit HostValue(double v) : kind(HostKind::f64), f64(v) {}
};

/// Runs an expansion on numbers: the builder of tests and of constant folding. Needs IEEE arithmetic without
/// contraction (-ffp-contract=off) and the default rounding mode.
class HostBuilder {
 public:
  using Value = HostValue;

  SINTER_MATH_INLINE Value f32(float v) { return Value(v); }
  SINTER_MATH_INLINE Value f64(double v) { return Value(v); }
  SINTER_MATH_INLINE Value i32(int32_t v) { return Value(v); }
  SINTER_MATH_INLINE Value u32(uint32_t v) { return Value(v); }
  SINTER_MATH_INLINE Value f32_bits(uint32_t v) { return Value(std::bit_cast<float>(v)); }

  SINTER_MATH_INLINE Value add(Value a, Value b) {
    return arithmetic(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x + y); });
  }
  SINTER_MATH_INLINE Value sub(Value a, Value b) {
    return arithmetic(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x - y); });
  }
  SINTER_MATH_INLINE Value mul(Value a, Value b) {
    return arithmetic(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x * y); });
  }
  SINTER_MATH_INLINE Value div(Value a, Value b) {
    return a.kind == HostKind::f32 ? Value(a.f32 / b.f32) : Value(a.f64 / b.f64);
  }
  SINTER_MATH_INLINE Value fma(Value a, Value b, Value c) {
    return a.kind == HostKind::f32 ? Value(__builtin_fmaf(a.f32, b.f32, c.f32))
                                   : Value(__builtin_fma(a.f64, b.f64, c.f64));
  }
  /// The high word of a product of u32.
  SINTER_MATH_INLINE Value mul_hi(Value a, Value b) {
    return Value(static_cast<uint32_t>(uint64_t{a.u32} * b.u32 >> 32));
  }
  SINTER_MATH_INLINE Value neg(Value a) {
    switch (a.kind) {
      case HostKind::f32:
        return Value(-a.f32);
      case HostKind::f64:
        return Value(-a.f64);
      case HostKind::i32:
        return Value(static_cast<int32_t>(0u - static_cast<uint32_t>(a.i32)));
      case HostKind::u32:
        return Value(0u - a.u32);
      case HostKind::i64:
        return Value(static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a.i64)));
      default:
        return Value(uint64_t{0} - a.u64);
    }
  }
  SINTER_MATH_INLINE Value abs(Value a) {
    switch (a.kind) {
      case HostKind::f32:
        return Value(std::fabs(a.f32));
      case HostKind::f64:
        return Value(std::fabs(a.f64));
      case HostKind::i32:
        return a.i32 < 0 ? neg(a) : a;
      case HostKind::i64:
        return a.i64 < 0 ? neg(a) : a;
      default:
        return a;
    }
  }
  SINTER_MATH_INLINE Value sqrt(Value a) {
    return a.kind == HostKind::f32 ? Value(__builtin_sqrtf(a.f32)) : Value(__builtin_sqrt(a.f64));
  }
  SINTER_MATH_INLINE Value floor(Value a) {
    return a.kind == HostKind::f32 ? Value(__builtin_floorf(a.f32)) : Value(__builtin_floor(a.f64));
  }
  SINTER_MATH_INLINE Value ceil(Value a) {
    return a.kind == HostKind::f32 ? Value(__builtin_ceilf(a.f32)) : Value(__builtin_ceil(a.f64));
  }
  SINTER_MATH_INLINE Value trunc(Value a) {
    return a.kind == HostKind::f32 ? Value(__builtin_truncf(a.f32)) : Value(__builtin_trunc(a.f64));
  }
  SINTER_MATH_INLINE Value round_even(Value a) {
    return a.kind == HostKind::f32 ? Value(__builtin_nearbyintf(a.f32)) : Value(__builtin_nearbyint(a.f64));
  }
  /// Propagates NaN; -0 < +0.
  SINTER_MATH_INLINE Value min(Value a, Value b) {
    return ordered(a, b, [](auto x, auto y) { return x < y; }, [](auto x, auto y) { return x | y; });
  }
  SINTER_MATH_INLINE Value max(Value a, Value b) {
    return ordered(a, b, [](auto x, auto y) { return x > y; }, [](auto x, auto y) { return x & y; });
  }

  SINTER_MATH_INLINE Value bit_and(Value a, Value b) {
    return bits(a, b, [](auto x, auto y) { return x & y; });
  }
  SINTER_MATH_INLINE Value bit_or(Value a, Value b) {
    return bits(a, b, [](auto x, auto y) { return x | y; });
  }
  SINTER_MATH_INLINE Value bit_xor(Value a, Value b) {
    return bits(a, b, [](auto x, auto y) { return x ^ y; });
  }
  SINTER_MATH_INLINE Value bit_not(Value a) {
    switch (a.kind) {
      case HostKind::boolean:
        return Value(!a.b);
      case HostKind::i32:
        return Value(~a.i32);
      case HostKind::u32:
        return Value(~a.u32);
      case HostKind::i64:
        return Value(~a.i64);
      default:
        return Value(~a.u64);
    }
  }
  /// Shift counts past the width give 0, or the sign.
  SINTER_MATH_INLINE Value shl(Value a, Value n) {
    switch (a.kind) {
      case HostKind::i32: {
        const auto count = static_cast<uint32_t>(n.i32);
        return Value(static_cast<int32_t>(count > 31 ? 0u : static_cast<uint32_t>(a.i32) << count));
      }
      case HostKind::u32:
        return Value(n.u32 > 31 ? 0u : a.u32 << n.u32);
      case HostKind::i64: {
        const auto count = static_cast<uint64_t>(n.i64);
        return Value(static_cast<int64_t>(count > 63 ? uint64_t{0} : static_cast<uint64_t>(a.i64) << count));
      }
      default:
        return Value(n.u64 > 63 ? uint64_t{0} : a.u64 << n.u64);
    }
  }
  SINTER_MATH_INLINE Value shr(Value a, Value n) {
    switch (a.kind) {
      case HostKind::i32:
        return Value(a.i32 >> (static_cast<uint32_t>(n.i32) > 31 ? 31 : n.i32));
      case HostKind::u32:
        return Value(n.u32 > 31 ? 0u : a.u32 >> n.u32);
      case HostKind::i64:
        return Value(a.i64 >> (static_cast<uint64_t>(n.i64) > 63 ? 63 : n.i64));
      default:
        return Value(n.u64 > 63 ? uint64_t{0} : a.u64 >> n.u64);
    }
  }

  SINTER_MATH_INLINE Value lt(Value a, Value b) {
    return compare(a, b, [](auto x, auto y) { return x < y; });
  }
  SINTER_MATH_INLINE Value le(Value a, Value b) {
    return compare(a, b, [](auto x, auto y) { return x <= y; });
  }
  SINTER_MATH_INLINE Value eq(Value a, Value b) {
    return compare(a, b, [](auto x, auto y) { return x == y; });
  }
  SINTER_MATH_INLINE Value ne(Value a, Value b) {
    return compare(a, b, [](auto x, auto y) { return x != y; });
  }
  SINTER_MATH_INLINE Value gt(Value a, Value b) { return lt(b, a); }
  SINTER_MATH_INLINE Value ge(Value a, Value b) { return le(b, a); }

  SINTER_MATH_INLINE Value select(Value c, Value a, Value b) {
    switch (a.kind) {
      case HostKind::boolean:
        return Value(c.b ? a.b : b.b);
      case HostKind::i32:
        return Value(c.b ? a.i32 : b.i32);
      case HostKind::u32:
        return Value(c.b ? a.u32 : b.u32);
      case HostKind::i64:
        return Value(c.b ? a.i64 : b.i64);
      case HostKind::u64:
        return Value(c.b ? a.u64 : b.u64);
      case HostKind::f32:
        return Value(c.b ? a.f32 : b.f32);
      default:
        return Value(c.b ? a.f64 : b.f64);
    }
  }
  template <class Slow>
  SINTER_MATH_INLINE Value rare(Value condition, Value fast, Slow slow) {
    return select(condition, slow(), fast);
  }

  SINTER_MATH_INLINE Value ex2_approx(Value a) { return hardware::ex2(*this, a); }
  SINTER_MATH_INLINE Value lg2_approx(Value a) { return hardware::lg2(*this, a); }
  SINTER_MATH_INLINE Value rcp_approx(Value a) { return hardware::rcp(*this, a); }
  SINTER_MATH_INLINE Value rsqrt_approx(Value a) { return hardware::rsqrt(*this, a); }
  SINTER_MATH_INLINE Value tanh_approx(Value a) { return hardware::tanh(*this, a); }

  SINTER_MATH_INLINE Value convert(Value a, DType to) {
    switch (a.kind) {
      case HostKind::boolean:
        return convert_from(a.b, to);
      case HostKind::i32:
        return convert_from(a.i32, to);
      case HostKind::u32:
        return convert_from(a.u32, to);
      case HostKind::i64:
        return convert_from(a.i64, to);
      case HostKind::u64:
        return convert_from(a.u64, to);
      case HostKind::f32:
        return convert_from(a.f32, to);
      default:
        return convert_from(a.f64, to);
    }
  }
  SINTER_MATH_INLINE Value bitcast(Value a, DType to) {
    switch (a.kind) {
      case HostKind::i32:
        return from_bits(static_cast<uint32_t>(a.i32), to);
      case HostKind::u32:
        return from_bits(a.u32, to);
      case HostKind::f32:
        return from_bits(std::bit_cast<uint32_t>(a.f32), to);
      case HostKind::i64:
        return from_bits(static_cast<uint64_t>(a.i64), to);
      case HostKind::u64:
        return from_bits(a.u64, to);
      default:
        return from_bits(std::bit_cast<uint64_t>(a.f64), to);
    }
  }

 private:
  template <class T>
  using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

  template <class Op>
  SINTER_MATH_INLINE static Value arithmetic(Value a, Value b, Op op) {
    switch (a.kind) {
      case HostKind::i32:
        return Value(static_cast<int32_t>(op(static_cast<uint32_t>(a.i32), static_cast<uint32_t>(b.i32))));
      case HostKind::u32:
        return Value(op(a.u32, b.u32));
      case HostKind::i64:
        return Value(static_cast<int64_t>(op(static_cast<uint64_t>(a.i64), static_cast<uint64_t>(b.i64))));
      case HostKind::u64:
        return Value(op(a.u64, b.u64));
      case HostKind::f32:
        return Value(op(a.f32, b.f32));
      default:
        return Value(op(a.f64, b.f64));
    }
  }
  template <class Op>
  SINTER_MATH_INLINE static Value bits(Value a, Value b, Op op) {
    switch (a.kind) {
      case HostKind::boolean:
        return Value(static_cast<bool>(op(a.b, b.b)));
      case HostKind::i32:
        return Value(op(a.i32, b.i32));
      case HostKind::u32:
        return Value(op(a.u32, b.u32));
      case HostKind::i64:
        return Value(op(a.i64, b.i64));
      default:
        return Value(op(a.u64, b.u64));
    }
  }
  template <class Op>
  SINTER_MATH_INLINE static Value compare(Value a, Value b, Op op) {
    switch (a.kind) {
      case HostKind::boolean:
        return Value(op(a.b, b.b));
      case HostKind::i32:
        return Value(op(a.i32, b.i32));
      case HostKind::u32:
        return Value(op(a.u32, b.u32));
      case HostKind::i64:
        return Value(op(a.i64, b.i64));
      case HostKind::u64:
        return Value(op(a.u64, b.u64));
      case HostKind::f32:
        return Value(op(a.f32, b.f32));
      default:
        return Value(op(a.f64, b.f64));
    }
  }
  // Where neither operand is before the other they are equal (their bits differ only in the sign of zero, which
  // `zero` combines) or one is NaN.
  template <class Before, class Zero>
  SINTER_MATH_INLINE static Value ordered(Value a, Value b, Before before, Zero zero) {
    const auto real = [&](auto x, auto y) {
      using U = Unsigned<decltype(x)>;
      const auto tie = std::bit_cast<decltype(x)>(zero(std::bit_cast<U>(x), std::bit_cast<U>(y)));
      return Value(before(x, y) ? x : before(y, x) ? y : x == y ? tie : x + y);
    };
    switch (a.kind) {
      case HostKind::boolean:
        return Value(before(a.b, b.b) ? a.b : b.b);
      case HostKind::i32:
        return Value(before(a.i32, b.i32) ? a.i32 : b.i32);
      case HostKind::u32:
        return Value(before(a.u32, b.u32) ? a.u32 : b.u32);
      case HostKind::i64:
        return Value(before(a.i64, b.i64) ? a.i64 : b.i64);
      case HostKind::u64:
        return Value(before(a.u64, b.u64) ? a.u64 : b.u64);
      case HostKind::f32:
        return real(a.f32, b.f32);
      default:
        return real(a.f64, b.f64);
    }
  }
  template <class To, class From>
  SINTER_MATH_INLINE static To saturate(From v) {
    if constexpr (std::is_floating_point_v<From>) {
      constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
      constexpr auto past =
          static_cast<From>(2) * static_cast<From>(uint64_t{1} << (std::numeric_limits<To>::digits - 1));
      const bool inside = v >= low && v < past;
      const auto limit = v >= past ? std::numeric_limits<To>::max() : v < low ? std::numeric_limits<To>::min() : To{0};
      return inside ? static_cast<To>(inside ? v : From{0}) : limit;
    } else {
      return static_cast<To>(v);
    }
  }
  template <class From>
  SINTER_MATH_INLINE static Value convert_from(From v, DType to) {
    if (to == sinter::boolean) return Value(v != From{0});
    if (to == sinter::i32) return Value(saturate<int32_t>(v));
    if (to == sinter::u32) return Value(saturate<uint32_t>(v));
    if (to == sinter::i64) return Value(saturate<int64_t>(v));
    if (to == sinter::u64) return Value(saturate<uint64_t>(v));
    return to == sinter::f32 ? Value(static_cast<float>(v)) : Value(static_cast<double>(v));
  }
  SINTER_MATH_INLINE static Value from_bits(uint32_t v, DType to) {
    if (to == sinter::f32) return Value(std::bit_cast<float>(v));
    return to == sinter::i32 ? Value(static_cast<int32_t>(v)) : Value(v);
  }
  SINTER_MATH_INLINE static Value from_bits(uint64_t v, DType to) {
    if (to == sinter::f64) return Value(std::bit_cast<double>(v));
    return to == sinter::i64 ? Value(static_cast<int64_t>(v)) : Value(v);
  }
};

}  // namespace sinter::scalar::math
