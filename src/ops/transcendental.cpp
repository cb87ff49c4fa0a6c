// SPDX-License-Identifier: Apache-2.0
#include "src/ops/transcendental.h"

#include <utility>

#include "src/ops/pointwise.h"
#include "src/scalar/math/math.h"

namespace sinter::ops {
namespace {

namespace math = scalar::math;
using loop::Builder;
using loop::ScalarOp;
using loop::Value;

bool is_half(DType t) { return t.bits() == 16; }

}  // namespace

void register_function(std::string_view name, std::string_view doc, Function* function, double low, double high,
                       Function* approximation) {
  const auto computed_by = [](Function* f) {
    return [f](Builder& b, std::span<const Value> v, DType operating, graph::AttributeReader) {
      return f(b, v[0], operating);
    };
  };
  Pointwise op{.name = name, .doc = doc, .types = gives_floating, .compute = computed_by(function)};
  if (approximation != nullptr) op.approximate = computed_by(approximation);
  op.low = low;
  op.high = high;
  graph::register_op(pointwise_op(std::move(op)));
}

// A function whose f64 form is one scalar op.
#define SINTER_TRANSCENDENTAL(name)                                                    \
  Value name##_value(Builder& b, Value x, DType result) {                              \
    if (result == f64) return b.op(ScalarOp::name##_f64, {x});                         \
    return is_half(result) ? math::name##_half(b, x, result) : math::name##_f32(b, x); \
  }
SINTER_TRANSCENDENTAL(exp)
SINTER_TRANSCENDENTAL(exp2)
SINTER_TRANSCENDENTAL(expm1)
SINTER_TRANSCENDENTAL(log)
SINTER_TRANSCENDENTAL(log2)
SINTER_TRANSCENDENTAL(log10)
SINTER_TRANSCENDENTAL(log1p)
SINTER_TRANSCENDENTAL(sin)
SINTER_TRANSCENDENTAL(cos)
SINTER_TRANSCENDENTAL(tan)
SINTER_TRANSCENDENTAL(asin)
SINTER_TRANSCENDENTAL(acos)
SINTER_TRANSCENDENTAL(atan)
SINTER_TRANSCENDENTAL(sinh)
SINTER_TRANSCENDENTAL(cosh)
SINTER_TRANSCENDENTAL(tanh)
SINTER_TRANSCENDENTAL(asinh)
SINTER_TRANSCENDENTAL(acosh)
SINTER_TRANSCENDENTAL(atanh)
SINTER_TRANSCENDENTAL(erf)
SINTER_TRANSCENDENTAL(erfc)
#undef SINTER_TRANSCENDENTAL

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

Value logit_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::log_f64, {b.div(x, b.sub(b.f64(1), x))});
  return is_half(result) ? math::logit_half(b, x, result) : math::logit_f32(b, x);
}

Value softplus_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::log1p_f64, {b.op(ScalarOp::exp_f64, {x})});
  return is_half(result) ? math::softplus_half(b, x, result) : math::softplus_f32(b, x);
}

Value log_sigmoid_value(Builder& b, Value x, DType result) {
  if (result == f64) {
    const Value e = b.op(ScalarOp::exp_f64, {b.neg(b.abs(x))});
    return b.sub(b.min(x, b.f64(0)), b.op(ScalarOp::log1p_f64, {e}));
  }
  return is_half(result) ? math::log_sigmoid_half(b, x, result) : math::log_sigmoid_f32(b, x);
}

Value mish_value(Builder& b, Value x, DType result) {
  if (result == f64) return b.mul(x, b.op(ScalarOp::tanh_f64, {softplus_value(b, x, f64)}));
  return is_half(result) ? math::mish_half(b, x, result) : math::mish_f32(b, x);
}

Value atan2_value(Builder& b, Value y, Value x, DType result) {
  if (result == f64) return b.op(ScalarOp::atan2_f64, {y, x});
  return is_half(result) ? math::atan2_half(b, y, x, result) : math::atan2_f32(b, y, x);
}

Value hypot_value(Builder& b, Value x, Value y, DType result) {
  if (result == f64) return b.op(ScalarOp::hypot_f64, {x, y});
  return is_half(result) ? math::hypot_half(b, x, y, result) : math::hypot_f32(b, x, y);
}

Value pow_value(Builder& b, Value x, Value y, DType result) {
  if (result == f64) return b.op(ScalarOp::pow_f64, {x, y});
  return is_half(result) ? math::pow_half(b, x, y, result) : math::pow_f32(b, x, y);
}

#define SINTER_APPROXIMATION(name)                               \
  Value name##_approx_value(Builder& b, Value x, DType result) { \
    if (result == f64) return name##_value(b, x, f64);           \
    return math::name##_approx(b, x);                            \
  }
SINTER_APPROXIMATION(exp)
SINTER_APPROXIMATION(exp2)
SINTER_APPROXIMATION(log)
SINTER_APPROXIMATION(log2)
SINTER_APPROXIMATION(log10)
SINTER_APPROXIMATION(sigmoid)
SINTER_APPROXIMATION(rsqrt)
#undef SINTER_APPROXIMATION

Value tanh_approx_value(Builder& b, Value x, DType result) {
  return result == f64 ? tanh_value(b, x, f64) : math::tanh_approx(b, x, result);
}

Value gelu_approx_value(Builder& b, Value x, DType result) {
  return result == f64 ? gelu_value(b, x, f64) : math::gelu_approx(b, x, result);
}

Value reciprocal_approx_value(Builder& b, Value x, DType result) {
  return result == f64 ? b.div(b.f64(1), x) : b.rcp_approx(x);
}

Value pow_approx_value(Builder& b, Value x, Value y, DType result) {
  return result == f64 ? pow_value(b, x, y, f64) : math::pow_approx(b, x, y);
}

Value quotient_approx_value(Builder& b, Value x, Value y, DType result) {
  return result == f64 ? b.div(x, y) : b.mul(x, b.rcp_approx(y));
}

}  // namespace sinter::ops
