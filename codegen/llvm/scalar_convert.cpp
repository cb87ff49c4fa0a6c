// SPDX-License-Identifier: Apache-2.0
// Changes of type.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

llvm::Value* resize_integer(const ScalarCall& c, llvm::Value* v, bool is_signed, llvm::Type* to) {
  return is_signed ? c.b.CreateSExtOrTrunc(v, to) : c.b.CreateZExtOrTrunc(v, to);
}

/// The number cut to the width of `storage` and widened again with its sign or with zeros.
llvm::Value* wrap(const ScalarCall& c, DType storage) {
  llvm::Type* narrow = c.like(c.b.getIntNTy(static_cast<unsigned>(storage.bits())));
  return resize_integer(c, c.b.CreateTrunc(c.x[0], narrow), storage.is_signed(), c.x[0]->getType());
}

/// Float to integer, saturating, NaN to 0.
llvm::Value* saturate(const ScalarCall& c, DType to) {
  const auto id = to.is_signed() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return c.b.CreateIntrinsic(id, {c.type_of(to), c.x[0]->getType()}, {c.x[0]});
}

llvm::Value* to_float(const ScalarCall& c, llvm::Type* to) {
  Builder& b = c.b;
  if (c.type.is_floating()) return c.type == f64 ? b.CreateFPTrunc(c.x[0], to) : b.CreateFPExt(c.x[0], to);
  return c.type.is_integer() && c.type.is_signed() ? b.CreateSIToFP(c.x[0], to) : b.CreateUIToFP(c.x[0], to);
}

}  // namespace

llvm::Value* narrow_to_bf16(Builder& b, llvm::Value* v) {
  const int lanes = lanes_of(v);
  llvm::Type* i32s = vector_of(b.getInt32Ty(), lanes);
  const auto number = [&](uint32_t n) { return llvm::ConstantInt::get(i32s, n); };
  llvm::Value* bits = b.CreateBitCast(v, i32s);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, number(16)), number(1));
  llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, number(0x7fff)));
  llvm::Value* quiet = b.CreateOr(bits, number(0x400000));
  llvm::Value* result = b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded);
  return b.CreateTrunc(b.CreateLShr(result, number(16)), vector_of(b.getInt16Ty(), lanes));
}

llvm::Value* widen_bf16(Builder& b, llvm::Value* bits) {
  const int lanes = lanes_of(bits);
  llvm::Value* wide = b.CreateZExt(bits, vector_of(b.getInt32Ty(), lanes));
  return b.CreateBitCast(b.CreateShl(wide, llvm::ConstantInt::get(wide->getType(), 16)),
                         vector_of(b.getFloatTy(), lanes));
}

llvm::Value* narrow_to_f16(Builder& b, llvm::Value* v) {
  const int lanes = lanes_of(v);
  return b.CreateBitCast(b.CreateFPTrunc(v, vector_of(b.getHalfTy(), lanes)), vector_of(b.getInt16Ty(), lanes));
}

/// The fence keeps LLVM from narrowing f32 arithmetic between f16 values to half: without f16 instructions that is
/// scalar code, and LLVM 19's half minimum loses NaN.
llvm::Value* widen_f16(Builder& b, llvm::Value* bits) {
  const int lanes = lanes_of(bits);
  llvm::Type* wide = vector_of(b.getFloatTy(), lanes);
  llvm::Value* v = b.CreateFPExt(b.CreateBitCast(bits, vector_of(b.getHalfTy(), lanes)), wide);
  return b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {wide}, {v});
}

llvm::Value* emit_convert(const ScalarCall& c) {
  const DType to = scalar::compute_type(c.attribute);
  if (to == c.type) return c.x[0];
  if (to.is_boolean()) {
    llvm::Value* zero = llvm::Constant::getNullValue(c.x[0]->getType());
    return c.type.is_floating() ? c.b.CreateFCmpUNE(c.x[0], zero) : c.b.CreateICmpNE(c.x[0], zero);
  }
  if (to.is_floating()) return to_float(c, c.type_of(to));
  if (c.type.is_floating()) return saturate(c, to);
  return resize_integer(c, c.x[0], c.type.is_integer() && c.type.is_signed(), c.type_of(to));
}

llvm::Value* emit_bitcast(const ScalarCall& c) { return c.b.CreateBitCast(c.x[0], c.type_of(c.attribute)); }

llvm::Value* emit_round_to(const ScalarCall& c) {
  if (c.attribute == f16) return widen_f16(c.b, narrow_to_f16(c.b, c.x[0]));
  if (c.attribute == bf16) return widen_bf16(c.b, narrow_to_bf16(c.b, c.x[0]));
  if (c.attribute.is_integer() && c.attribute.bits() < c.type.bits()) return wrap(c, c.attribute);
  return c.x[0];
}

}  // namespace sinter::llvm_codegen
