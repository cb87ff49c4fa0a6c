// SPDX-License-Identifier: Apache-2.0
#include "src/ops/transcendental.h"

#include "src/scalar/math/math.h"

namespace sinter::ops {
namespace {

namespace math = scalar::math;
using loop::Builder;
using loop::ScalarOp;
using loop::Value;

bool is_half(DType t) { return t.bits() == 16; }

}  // namespace

Value exp_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::exp_f64, {x});
  return is_half(result) ? math::exp_half(b, x, result) : math::exp_f32(b, x);
}

Value log_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::log_f64, {x});
  return is_half(result) ? math::log_half(b, x, result) : math::log_f32(b, x);
}

Value tanh_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::tanh_f64, {x});
  return is_half(result) ? math::tanh_half(b, x, result) : math::tanh_f32(b, x);
}

Value erf_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::erf_f64, {x});
  return is_half(result) ? math::erf_half(b, x, result) : math::erf_f32(b, x);
}

Value sigmoid_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.div(b.f64(1), b.add(b.f64(1), b.op(ScalarOp::exp_f64, {b.neg(x)})));
  return is_half(result) ? math::sigmoid_half(b, x, result) : math::sigmoid_f32(b, x);
}

Value rsqrt_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.div(b.f64(1), b.sqrt(x));
  return is_half(result) ? math::rsqrt_half(b, x, result) : math::rsqrt_f32(b, x);
}

Value gelu_value(Builder& b, Value x, DType result) {
  if (result == f64) {
    const Value scaled = b.mul(x, b.f64(0.70710678118654752440));
    return b.mul(b.mul(x, b.f64(0.5)), b.add(b.f64(1), b.op(ScalarOp::erf_f64, {scaled})));
  }
  return is_half(result) ? math::gelu_half(b, x, result) : math::gelu_f32(b, x);
}

Value pow_value(Builder& b, Value x, Value y, DType result) {
  if (result == f64) return b.op(ScalarOp::pow_f64, {x, y});
  return is_half(result) ? math::pow_half(b, x, y, result) : math::pow_f32(b, x, y);
}

}  // namespace sinter::ops
