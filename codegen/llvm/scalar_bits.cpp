// SPDX-License-Identifier: Apache-2.0
// Bits, shifts, comparisons and choice.
#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

llvm::Value* compare(const ScalarCall& c, llvm::CmpInst::Predicate floating, llvm::CmpInst::Predicate signed_integer,
                     llvm::CmpInst::Predicate unsigned_integer) {
  if (c.type.is_floating()) return c.b.CreateFCmp(floating, c.x[0], c.x[1]);
  const bool is_signed = c.type.is_integer() && c.type.is_signed();
  return c.b.CreateICmp(is_signed ? signed_integer : unsigned_integer, c.x[0], c.x[1]);
}

llvm::Value* width(const ScalarCall& c, int less = 0) {
  return llvm::ConstantInt::get(c.x[0]->getType(), static_cast<uint64_t>(c.type.bits() - less));
}

}  // namespace

llvm::Value* emit_bit_and(const ScalarCall& c) { return c.b.CreateAnd(c.x[0], c.x[1]); }
llvm::Value* emit_bit_or(const ScalarCall& c) { return c.b.CreateOr(c.x[0], c.x[1]); }
llvm::Value* emit_bit_xor(const ScalarCall& c) { return c.b.CreateXor(c.x[0], c.x[1]); }
llvm::Value* emit_bit_not(const ScalarCall& c) { return c.b.CreateNot(c.x[0]); }

// An amount outside 0 .. width-1 (a negative one is a large unsigned number) shifts everything out. Clamping the amount
// first keeps the shift itself defined.
llvm::Value* emit_shl(const ScalarCall& c) {
  llvm::Value* inside = c.b.CreateICmpULT(c.x[1], width(c));
  llvm::Value* zero = llvm::Constant::getNullValue(c.x[0]->getType());
  return c.b.CreateSelect(inside, c.b.CreateShl(c.x[0], c.b.CreateSelect(inside, c.x[1], zero)), zero);
}

llvm::Value* emit_shr(const ScalarCall& c) {
  llvm::Value* inside = c.b.CreateICmpULT(c.x[1], width(c));
  if (c.type.is_signed()) return c.b.CreateAShr(c.x[0], c.b.CreateSelect(inside, c.x[1], width(c, 1)));
  llvm::Value* zero = llvm::Constant::getNullValue(c.x[0]->getType());
  return c.b.CreateSelect(inside, c.b.CreateLShr(c.x[0], c.b.CreateSelect(inside, c.x[1], zero)), zero);
}

llvm::Value* emit_lt(const ScalarCall& c) {
  return compare(c, llvm::CmpInst::FCMP_OLT, llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT);
}
llvm::Value* emit_le(const ScalarCall& c) {
  return compare(c, llvm::CmpInst::FCMP_OLE, llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_ULE);
}
llvm::Value* emit_eq(const ScalarCall& c) {
  return compare(c, llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::ICMP_EQ, llvm::CmpInst::ICMP_EQ);
}
llvm::Value* emit_ne(const ScalarCall& c) {
  return compare(c, llvm::CmpInst::FCMP_UNE, llvm::CmpInst::ICMP_NE, llvm::CmpInst::ICMP_NE);
}
llvm::Value* emit_select(const ScalarCall& c) { return c.b.CreateSelect(c.x[0], c.x[1], c.x[2]); }
llvm::Value* emit_rare(const ScalarCall& c) { return c.b.CreateSelect(c.x[0], c.x[2], c.x[1]); }

}  // namespace sinter::llvm_codegen
