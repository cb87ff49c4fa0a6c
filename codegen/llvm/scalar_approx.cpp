// SPDX-License-Identifier: Apache-2.0
// What hardware approximates on CUDA: the expansions of src/scalar/math/hardware.h, as in the reference.
#include <algorithm>
#include <initializer_list>

#include "codegen/llvm/scalar_emitter.h"
#include "src/scalar/math/hardware.h"

namespace sinter::llvm_codegen {

namespace {

namespace hardware = scalar::math::hardware;
using scalar::ScalarOp;
using LanesValue = llvm::Value*;

/// Expands a definition of src/scalar/math into lanes of the length of the call's.
class LaneBuilder {
 public:
  explicit LaneBuilder(const ScalarCall& call) : call_(call) {}

  LanesValue f32(float v) const { return llvm::ConstantFP::get(call_.type_of(sinter::f32), static_cast<double>(v)); }
  LanesValue i32(int32_t v) const { return llvm::ConstantInt::getSigned(call_.type_of(sinter::i32), v); }

  LanesValue add(LanesValue a, LanesValue b) const { return op(ScalarOp::add, {a, b}); }
  LanesValue sub(LanesValue a, LanesValue b) const { return op(ScalarOp::sub, {a, b}); }
  LanesValue mul(LanesValue a, LanesValue b) const { return op(ScalarOp::mul, {a, b}); }
  LanesValue div(LanesValue a, LanesValue b) const { return op(ScalarOp::div, {a, b}); }
  LanesValue min(LanesValue a, LanesValue b) const { return op(ScalarOp::min, {a, b}); }
  LanesValue max(LanesValue a, LanesValue b) const { return op(ScalarOp::max, {a, b}); }
  LanesValue fma(LanesValue a, LanesValue b, LanesValue c) const { return op(ScalarOp::fma, {a, b, c}); }
  LanesValue neg(LanesValue a) const { return op(ScalarOp::neg, {a}); }
  LanesValue sqrt(LanesValue a) const { return op(ScalarOp::sqrt, {a}); }
  LanesValue bit_and(LanesValue a, LanesValue b) const { return op(ScalarOp::bit_and, {a, b}); }
  LanesValue shl(LanesValue a, LanesValue n) const { return op(ScalarOp::shl, {a, n}); }
  LanesValue lt(LanesValue a, LanesValue b) const { return op(ScalarOp::lt, {a, b}); }
  LanesValue eq(LanesValue a, LanesValue b) const { return op(ScalarOp::eq, {a, b}); }
  LanesValue select(LanesValue c, LanesValue a, LanesValue b) const { return op(ScalarOp::select, {c, a, b}); }
  LanesValue convert(LanesValue a, DType t) const { return op(ScalarOp::convert, {a}, t); }
  LanesValue bitcast(LanesValue a, DType t) const { return op(ScalarOp::bitcast, {a}, t); }

 private:
  LanesValue op(ScalarOp op, std::initializer_list<LanesValue> x, DType attribute = sinter::f32) const {
    ScalarCall call{call_.b, {}, sinter::f32, attribute};
    std::copy(x.begin(), x.end(), call.x.begin());
    if (!call.x[x.size() - 1]->getType()->getScalarType()->isFloatTy()) call.type = sinter::i32;
    return emit_scalar(op, call);
  }

  const ScalarCall& call_;
};

template <class F>
llvm::Value* expanded(const ScalarCall& c, const F& definition) {
  LaneBuilder b(c);
  return definition(b, c.x[0]);
}

}  // namespace

llvm::Value* emit_ex2_approx(const ScalarCall& c) {
  return expanded(c, [](LaneBuilder& b, LanesValue x) { return hardware::ex2(b, x); });
}

llvm::Value* emit_lg2_approx(const ScalarCall& c) {
  return expanded(c, [](LaneBuilder& b, LanesValue x) { return hardware::lg2(b, x); });
}

llvm::Value* emit_rcp_approx(const ScalarCall& c) {
  return expanded(c, [](LaneBuilder& b, LanesValue x) { return hardware::rcp(b, x); });
}

llvm::Value* emit_rsqrt_approx(const ScalarCall& c) {
  return expanded(c, [](LaneBuilder& b, LanesValue x) { return hardware::rsqrt(b, x); });
}

llvm::Value* emit_tanh_approx(const ScalarCall& c) {
  return expanded(c, [](LaneBuilder& b, LanesValue x) { return hardware::tanh(b, x); });
}

}  // namespace sinter::llvm_codegen
