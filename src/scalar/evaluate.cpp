// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>

#include "src/scalar/native.h"
#include "src/scalar/scalar_ops.h"

#ifdef __FAST_MATH__
#error "the reference must be compiled without fast-math"
#endif

namespace sinter::scalar {
namespace {

template <class T>
concept Float = std::is_floating_point_v<T>;
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
using Unsigned = std::make_unsigned_t<T>;

// One overload set a row of scalar_ops.def; a missing row does not compile. Rows are named as in the table.
template <Float T> T add(T a, T b) { return a + b; }
template <Integer T> T add(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)); }
template <Float T> T sub(T a, T b) { return a - b; }
template <Integer T> T sub(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)); }
template <Float T> T mul(T a, T b) { return a * b; }
template <Integer T> T mul(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b)); }
template <Float T> T div(T a, T b) { return a / b; }

template <Integer T>
T idiv(T a, T b) {
  if (b == 0) return static_cast<T>(~Unsigned<T>{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return sub(T{0}, a);
  return a / b;
}
template <Integer T>
T irem(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return a % b;
}
template <Integer T>
T mul_hi(T a, T b) {
  using Wide = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                  std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
}
template <Float T> T fma(T a, T b, T c) { return std::fma(a, b, c); }
template <Float T> T neg(T a) { return -a; }
template <Integer T> T neg(T a) { return sub(T{0}, a); }
template <Float T> T abs(T a) { return std::fabs(a); }
template <Integer T> T abs(T a) { return std::is_signed_v<T> && a < 0 ? neg(a) : a; }
template <Float T> T min(T a, T b) {
  if (a != a || b != b) return a != a ? a : b;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <class T> T min(T a, T b) { return a < b ? a : b; }
template <Float T> T max(T a, T b) {
  if (a != a || b != b) return a != a ? a : b;
  return a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
}
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <Float T> T sqrt(T a) { return std::sqrt(a); }
template <Float T> T floor(T a) { return std::floor(a); }
template <Float T> T ceil(T a) { return std::ceil(a); }
template <Float T> T trunc(T a) { return std::trunc(a); }
template <Float T> T round_even(T a) { return std::nearbyint(a); }
template <Float T> T fmod(T a, T b) { return std::fmod(a, b); }
template <std::integral T> T bit_and(T a, T b) { return static_cast<T>(a & b); }
template <std::integral T> T bit_or(T a, T b) { return static_cast<T>(a | b); }
template <std::integral T> T bit_xor(T a, T b) { return static_cast<T>(a ^ b); }
inline bool bit_not(bool a) { return !a; }
template <Integer T> T bit_not(T a) { return static_cast<T>(~a); }
template <Integer T>
T shl(T a, T n) {
  const auto count = static_cast<Unsigned<T>>(n);
  return count >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a) << count);
}
template <Integer T>
T shr(T a, T n) {
  const auto count = static_cast<Unsigned<T>>(n);
  if (count >= 8 * sizeof(T)) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> count);
}
template <class T> bool lt(T a, T b) { return a < b; }
template <class T> bool le(T a, T b) { return a <= b; }
template <class T> bool eq(T a, T b) { return a == b; }
template <class T> bool ne(T a, T b) { return a != b; }
template <class T> T select(bool c, T a, T b) { return c ? a : b; }
template <class T> T rare(bool c, T fast, T slow) { return c ? slow : fast; }
inline float ex2_approx(float a) { return std::exp2(a); }
inline float lg2_approx(float a) { return std::log2(a); }
inline float rcp_approx(float a) { return 1.0f / a; }
inline float rsqrt_approx(float a) { return 1.0f / std::sqrt(a); }
inline double exp_f64(double a) { return std::exp(a); }
inline double log_f64(double a) { return std::log(a); }
inline double tanh_f64(double a) { return std::tanh(a); }
inline double erf_f64(double a) { return std::erf(a); }
inline double pow_f64(double a, double b) { return std::pow(a, b); }

Constant convert_to(const Constant& c, DType to) {
  return with_native(c.dtype, [&]<class From>(From) {
    const From v = from_constant<From>(c);
    return with_native(compute_type(to), [v]<class To>(To) { return to_constant(convert_native<To>(v)); });
  });
}

Constant rounded_to(const Constant& c, DType storage) {
  std::array<std::byte, 8> element{};
  store_element(element.data(), storage, c);
  return load_element(element.data(), storage);
}

}  // namespace

Constant evaluate(ScalarOp op, std::span<const Constant> operands, DType attribute) {
  std::array<DType, 3> types;
  for (size_t i = 0; i < operands.size(); ++i) types[i] = operands[i].dtype;
  const auto result = result_type(op, {types.data(), operands.size()}, attribute);
  if (!result) throw CompileError(fmt::format("internal: {} does not take these operands", info(op).name));
  const ScalarRule rule = info(op).rule;
  if (rule == ScalarRule::convert) return convert_to(operands[0], attribute);
  if (rule == ScalarRule::bitcast) return {attribute, operands[0].bits};
  if (rule == ScalarRule::round_to) return rounded_to(operands[0], attribute);
  return with_native(operands.back().dtype, [&]<class T>(T) -> Constant {
    const auto arg = [&](size_t i) { return from_constant<T>(operands[i]); };
    const auto call = [&](auto f) -> std::optional<Constant> {
      if (operands.size() == 1) {
        if constexpr (std::is_invocable_v<decltype(f), T>) return to_constant(f(arg(0)));
      } else if (operands.size() == 2) {
        if constexpr (std::is_invocable_v<decltype(f), T, T>) return to_constant(f(arg(0), arg(1)));
      } else if (rule == ScalarRule::select) {
        if constexpr (std::is_invocable_v<decltype(f), bool, T, T>)
          return to_constant(f(operands[0].bits != 0, arg(1), arg(2)));
      } else {
        if constexpr (std::is_invocable_v<decltype(f), T, T, T>) return to_constant(f(arg(0), arg(1), arg(2)));
      }
      return std::nullopt;
    };
    std::optional<Constant> value;
    switch (op) {
      case ScalarOp::convert:
      case ScalarOp::bitcast:
      case ScalarOp::round_to: break;
#define SINTER_ROW(row)                                                                      \
  case ScalarOp::row:                                                                        \
    value = call([](auto... v) -> decltype(row(v...)) requires requires { row(v...); } { return row(v...); }); \
    break;
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) SINTER_SELECT_##rule(name)
#define SINTER_SELECT_same(name) SINTER_ROW(name)
#define SINTER_SELECT_compare(name) SINTER_ROW(name)
#define SINTER_SELECT_select(name) SINTER_ROW(name)
#define SINTER_SELECT_convert(name)
#define SINTER_SELECT_bitcast(name)
#define SINTER_SELECT_round_to(name)
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
    }
    if (!value) throw CompileError(fmt::format("internal: {} has no reference for this type", info(op).name));
    return *value;
  });
}

}  // namespace sinter::scalar
