// SPDX-License-Identifier: Apache-2.0
// Arithmetic without fast-math flags: every floating op is IEEE and stands alone.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

llvm::Value* unary(const ScalarCall& c, llvm::Intrinsic::ID id) { return c.b.CreateUnaryIntrinsic(id, c.x[0]); }
llvm::Value* binary(const ScalarCall& c, llvm::Intrinsic::ID id) {
  return c.b.CreateBinaryIntrinsic(id, c.x[0], c.x[1]);
}

llvm::Value* number(const ScalarCall& c, int64_t v) { return llvm::ConstantInt::getSigned(c.x[0]->getType(), v); }

/// x / y of 32-bit integers through f64, which holds their quotient to more than 53 - 32 bits below the integer: the
/// truncated quotient is exact. Vector units have no integer division.
llvm::Value* divide_32(const ScalarCall& c, llvm::Value* y) {
  Builder& b = c.b;
  llvm::Type* wide = c.type_of(f64);
  const bool is_signed = c.type.is_signed();
  const auto widen = [&](llvm::Value* v) { return is_signed ? b.CreateSIToFP(v, wide) : b.CreateUIToFP(v, wide); };
  llvm::Value* q = b.CreateFDiv(widen(c.x[0]), widen(y));
  return is_signed ? b.CreateFPToSI(q, c.x[0]->getType()) : b.CreateFPToUI(q, c.x[0]->getType());
}

/// A divisor that no division traps on: 1 in place of 0, and of -1 under the smallest number.
llvm::Value* safe_divisor(const ScalarCall& c) {
  Builder& b = c.b;
  llvm::Value* bad = b.CreateICmpEQ(c.x[1], number(c, 0));
  if (c.type.is_signed()) {
    const int64_t lowest = c.type.bits() == 32 ? INT32_MIN : INT64_MIN;
    bad =
        b.CreateOr(bad, b.CreateAnd(b.CreateICmpEQ(c.x[0], number(c, lowest)), b.CreateICmpEQ(c.x[1], number(c, -1))));
  }
  return b.CreateSelect(bad, number(c, 1), c.x[1]);
}

llvm::Value* quotient(const ScalarCall& c, llvm::Value* divisor) {
  const bool by_number = llvm::isa<llvm::Constant>(c.x[1]);  // becomes a multiplication
  if (c.type.bits() == 32 && c.lanes() > 1 && !by_number) return divide_32(c, divisor);
  return c.type.is_signed() ? c.b.CreateSDiv(c.x[0], divisor) : c.b.CreateUDiv(c.x[0], divisor);
}

}  // namespace

llvm::Value* emit_add(const ScalarCall& c) {
  return c.type.is_floating() ? c.b.CreateFAdd(c.x[0], c.x[1]) : c.b.CreateAdd(c.x[0], c.x[1]);
}

llvm::Value* emit_sub(const ScalarCall& c) {
  return c.type.is_floating() ? c.b.CreateFSub(c.x[0], c.x[1]) : c.b.CreateSub(c.x[0], c.x[1]);
}

llvm::Value* emit_mul(const ScalarCall& c) {
  return c.type.is_floating() ? c.b.CreateFMul(c.x[0], c.x[1]) : c.b.CreateMul(c.x[0], c.x[1]);
}

llvm::Value* emit_div(const ScalarCall& c) { return c.b.CreateFDiv(c.x[0], c.x[1]); }

llvm::Value* emit_idiv(const ScalarCall& c) {
  llvm::Value* by_zero = c.b.CreateICmpEQ(c.x[1], number(c, 0));
  return c.b.CreateSelect(by_zero, number(c, -1), quotient(c, safe_divisor(c)));
}

llvm::Value* emit_irem(const ScalarCall& c) {
  llvm::Value* divisor = safe_divisor(c);
  llvm::Value* remainder = c.b.CreateSub(c.x[0], c.b.CreateMul(quotient(c, divisor), divisor));
  return c.b.CreateSelect(c.b.CreateICmpEQ(c.x[1], number(c, 0)), c.x[0], remainder);
}

llvm::Value* emit_mul_hi(const ScalarCall& c) {
  Builder& b = c.b;
  const auto bits = static_cast<unsigned>(c.type.bits());
  llvm::Type* wide = c.like(b.getIntNTy(bits * 2));
  const auto widen = [&](llvm::Value* v) { return c.type.is_signed() ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(widen(c.x[0]), widen(c.x[1])), bits), c.x[0]->getType());
}

llvm::Value* emit_fma(const ScalarCall& c) {
  return c.b.CreateIntrinsic(llvm::Intrinsic::fma, {c.x[0]->getType()}, {c.x[0], c.x[1], c.x[2]});
}

llvm::Value* emit_neg(const ScalarCall& c) {
  return c.type.is_floating() ? c.b.CreateFNeg(c.x[0]) : c.b.CreateSub(number(c, 0), c.x[0]);
}

llvm::Value* emit_abs(const ScalarCall& c) {
  if (c.type.is_floating()) return unary(c, llvm::Intrinsic::fabs);
  if (!c.type.is_signed()) return c.x[0];
  return c.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, c.x[0], c.b.getFalse());
}

llvm::Value* emit_min(const ScalarCall& c) {
  if (c.type.is_boolean()) return c.b.CreateAnd(c.x[0], c.x[1]);
  if (c.type.is_floating()) return binary(c, llvm::Intrinsic::minimum);
  return binary(c, c.type.is_signed() ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
}

llvm::Value* emit_max(const ScalarCall& c) {
  if (c.type.is_boolean()) return c.b.CreateOr(c.x[0], c.x[1]);
  if (c.type.is_floating()) return binary(c, llvm::Intrinsic::maximum);
  return binary(c, c.type.is_signed() ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
}

llvm::Value* emit_sqrt(const ScalarCall& c) { return unary(c, llvm::Intrinsic::sqrt); }
llvm::Value* emit_floor(const ScalarCall& c) { return unary(c, llvm::Intrinsic::floor); }
llvm::Value* emit_ceil(const ScalarCall& c) { return unary(c, llvm::Intrinsic::ceil); }
llvm::Value* emit_trunc(const ScalarCall& c) { return unary(c, llvm::Intrinsic::trunc); }
llvm::Value* emit_round_even(const ScalarCall& c) { return unary(c, llvm::Intrinsic::roundeven); }

}  // namespace sinter::llvm_codegen
