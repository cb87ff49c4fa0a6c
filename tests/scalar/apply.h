// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <initializer_list>
#include <limits>

#include "src/scalar/native.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::scalar {

/// evaluate() on C++ values: apply<int32_t>(ScalarOp::add, a, b).
template <class Result, class... T>
Result apply(ScalarOp op, T... v) {
  const Constant operands[] = {to_constant(v)...};
  const Constant r = evaluate(op, operands);
  if (r.dtype != dtype_of<Result>()) throw CompileError("the result has another type");
  return from_constant<Result>(r);
}

template <class Result, class T>
Result converted(T v, DType to = dtype_of<Result>()) {
  const Constant operand[] = {to_constant(v)};
  return from_constant<Result>(evaluate(ScalarOp::convert, operand, to));
}

template <class T>
T rounded(T v, DType storage) {
  const Constant operand[] = {to_constant(v)};
  return from_constant<T>(evaluate(ScalarOp::round_to, operand, storage));
}

inline uint32_t bits(float v) { return std::bit_cast<uint32_t>(v); }
inline float from_bits(uint32_t v) { return std::bit_cast<float>(v); }

template <class T>
constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
constexpr T highest = std::numeric_limits<T>::max();
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

}  // namespace sinter::scalar
