// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/body.h"

namespace sinter::loop {

/// Writes scalar arithmetic into a body; the builder that src/scalar/math expands into, and what op lowerings use.
class Builder {
 public:
  using Value = loop::Value;
  explicit Builder(Body& body) : body_(&body) {}
  Body& body() { return *body_; }

  Value f32(float v) { return body_->constant(scalar::constant_f32(v)); }
  Value f64(double v) { return body_->constant(scalar::constant_f64(v)); }
  Value i32(int32_t v) { return body_->constant(scalar::constant_int(sinter::i32, v)); }
  Value u32(uint32_t v) { return body_->constant(scalar::constant_int(sinter::u32, v)); }
  Value i64(int64_t v) { return body_->constant(scalar::constant_int(sinter::i64, v)); }
  Value boolean(bool v) { return body_->constant(scalar::constant_bool(v)); }
  Value f32_bits(uint32_t v) { return body_->constant({sinter::f32, v}); }
  /// v in compute type t
  Value constant(DType t, double v) { return body_->constant(scalar::constant_of(t, v)); }

#define SINTER_UNARY(name) \
  Value name(Value a) { return op(ScalarOp::name, {a}); }
#define SINTER_BINARY(name) \
  Value name(Value a, Value b) { return op(ScalarOp::name, {a, b}); }
  // clang-format off
  SINTER_UNARY(neg)
  SINTER_UNARY(abs)
  SINTER_UNARY(sqrt)
  SINTER_UNARY(floor)
  SINTER_UNARY(ceil)
  SINTER_UNARY(trunc)
  SINTER_UNARY(round_even)
  SINTER_UNARY(bit_not)
  SINTER_UNARY(ex2_approx)
  SINTER_UNARY(lg2_approx)
  SINTER_UNARY(rcp_approx)
  SINTER_UNARY(rsqrt_approx)
  SINTER_UNARY(tanh_approx)
  SINTER_BINARY(add)
  SINTER_BINARY(sub)
  SINTER_BINARY(mul)
  SINTER_BINARY(div)
  SINTER_BINARY(idiv)
  SINTER_BINARY(irem)
  SINTER_BINARY(mul_hi)
  SINTER_BINARY(min)
  SINTER_BINARY(max)
  SINTER_BINARY(fmod)
  SINTER_BINARY(bit_and)
  SINTER_BINARY(bit_or)
  SINTER_BINARY(bit_xor)
  SINTER_BINARY(shl)
  SINTER_BINARY(shr)
  SINTER_BINARY(lt)
  SINTER_BINARY(le)
  SINTER_BINARY(eq)
  SINTER_BINARY(ne)
  // clang-format on
#undef SINTER_UNARY
#undef SINTER_BINARY
  Value gt(Value a, Value b) { return lt(b, a); }
  Value ge(Value a, Value b) { return le(b, a); }
  Value fma(Value a, Value b, Value c) { return op(ScalarOp::fma, {a, b, c}); }
  Value select(Value c, Value a, Value b) { return op(ScalarOp::select, {c, a, b}); }
  /// select(cond, slow(), fast); emitters may compute slow out of line where some lane has cond.
  template <class Slow>
  Value rare(Value cond, Value fast, Slow slow) {
    return op(ScalarOp::rare, {cond, fast, slow()});
  }
  /// Changes the compute type (saturating float -> int, NaN -> 0); t may be a storage dtype: its compute type is meant,
  /// without rounding.
  Value convert(Value a, DType t);
  Value bitcast(Value a, DType t) { return op(ScalarOp::bitcast, {a}, t); }
  Value round_to(Value a, DType t);
  /// A user's cast to storage dtype t: convert to its compute type, then round_to t. bool: a != 0.
  Value cast(Value a, DType t);
  Value op(ScalarOp op, std::initializer_list<Value> operands, DType attribute = sinter::f32) {
    return body_->scalar(op, {operands.begin(), operands.size()}, attribute);
  }

 private:
  Body* body_;
};

}  // namespace sinter::loop
