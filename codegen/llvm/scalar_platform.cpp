// SPDX-License-Identifier: Apache-2.0
// f64 transcendentals by the C library, and fmod.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

llvm::Value* call_platform(Builder& b, const char* symbol, std::initializer_list<llvm::Value*> x) {
  llvm::Type* number = b.getDoubleTy();
  const std::vector<llvm::Type*> parameters(x.size(), number);
  llvm::Module* module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(symbol, llvm::FunctionType::get(number, parameters, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->addFnAttr(llvm::Attribute::NoBuiltin);  // pow(8, x) is not exp2(3 * x) to the last bit
  const int lanes = lanes_of(*x.begin());
  if (lanes == 1) return b.CreateCall(callee, std::vector<llvm::Value*>(x));
  llvm::Value* result = llvm::PoisonValue::get(vector_of(number, lanes));
  for (int l = 0; l < lanes; ++l) {
    std::vector<llvm::Value*> lane;
    for (llvm::Value* v : x) lane.push_back(b.CreateExtractElement(v, static_cast<uint64_t>(l)));
    result = b.CreateInsertElement(result, b.CreateCall(callee, lane), static_cast<uint64_t>(l));
  }
  return result;
}

namespace {

/// Remainder of f32 numbers, exact, in f64: each step takes a multiple of y below 2^29 off r, which one fma does
/// without rounding; ten steps cover the range of f32. `r` and `y` are finite, y > 0, r >= 0.
llvm::Value* remainder_loop(Builder& b, llvm::Value* r, llvm::Value* y) {
  const int lanes = lanes_of(r);
  llvm::Type *doubles = r->getType(), *longs = vector_of(b.getInt64Ty(), lanes);
  const auto number = [&](int64_t v) { return llvm::ConstantInt::getSigned(longs, v); };
  const auto exponent = [&](llvm::Value* v) { return b.CreateLShr(b.CreateBitCast(v, longs), number(52)); };
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "fmod", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "fmod.end", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* rest = b.CreatePHI(doubles, 2);
  rest->addIncoming(r, before);
  llvm::Value* excess = b.CreateSub(b.CreateSub(exponent(rest), exponent(y)), number(28));
  llvm::Value* shift = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, excess, number(0));
  llvm::Value* scaled =
      b.CreateBitCast(b.CreateAdd(b.CreateBitCast(y, longs), b.CreateShl(shift, number(52))), doubles);
  llvm::Value* q = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, b.CreateFDiv(rest, scaled));
  llvm::Value* next = b.CreateIntrinsic(llvm::Intrinsic::fma, {doubles}, {b.CreateFNeg(q), scaled, rest});
  // The rounded quotient may be the next integer.
  next = b.CreateSelect(b.CreateFCmpOLT(next, llvm::ConstantFP::get(doubles, 0)), b.CreateFAdd(next, scaled), next);
  rest->addIncoming(next, loop);
  llvm::Value* more = b.CreateICmpNE(shift, number(0));
  b.CreateCondBr(lanes == 1 ? more : b.CreateOrReduce(more), loop, after);
  b.SetInsertPoint(after);
  return next;
}

llvm::Value* fmod_f32(const ScalarCall& c) {
  Builder& b = c.b;
  llvm::Type *floats = c.x[0]->getType(), *doubles = c.type_of(f64);
  llvm::Value *infinity = llvm::ConstantFP::getInfinity(floats), *zero = llvm::ConstantFP::get(floats, 0);
  llvm::Value* x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, c.x[0]);
  llvm::Value* y = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, c.x[1]);
  llvm::Value* defined = b.CreateAnd(b.CreateFCmpOLT(x, infinity), b.CreateFCmpOGT(y, zero));
  llvm::Value* by_finite = b.CreateAnd(defined, b.CreateFCmpOLT(y, infinity));
  llvm::Value* r = b.CreateFPExt(b.CreateSelect(by_finite, x, zero), doubles);
  llvm::Value* d = b.CreateFPExt(b.CreateSelect(by_finite, y, llvm::ConstantFP::get(floats, 1)), doubles);
  llvm::Value* remainder = b.CreateFPTrunc(remainder_loop(b, r, d), floats);
  remainder = b.CreateSelect(by_finite, remainder, x);
  remainder = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, remainder, c.x[0]);
  return b.CreateSelect(defined, remainder, llvm::ConstantFP::getNaN(floats));
}

}  // namespace

llvm::Value* emit_fmod(const ScalarCall& c) {
  return c.type == f32 ? fmod_f32(c) : call_platform(c.b, "fmod", {c.x[0], c.x[1]});
}

#define SINTER_PLATFORM_UNARY(name) \
  llvm::Value* emit_##name##_f64(const ScalarCall& c) { return call_platform(c.b, #name, {c.x[0]}); }
#define SINTER_PLATFORM_BINARY(name) \
  llvm::Value* emit_##name##_f64(const ScalarCall& c) { return call_platform(c.b, #name, {c.x[0], c.x[1]}); }
SINTER_PLATFORM_UNARY(exp)
SINTER_PLATFORM_UNARY(log)
SINTER_PLATFORM_UNARY(tanh)
SINTER_PLATFORM_UNARY(erf)
SINTER_PLATFORM_UNARY(exp2)
SINTER_PLATFORM_UNARY(expm1)
SINTER_PLATFORM_UNARY(log2)
SINTER_PLATFORM_UNARY(log10)
SINTER_PLATFORM_UNARY(log1p)
SINTER_PLATFORM_UNARY(sin)
SINTER_PLATFORM_UNARY(cos)
SINTER_PLATFORM_UNARY(tan)
SINTER_PLATFORM_UNARY(asin)
SINTER_PLATFORM_UNARY(acos)
SINTER_PLATFORM_UNARY(atan)
SINTER_PLATFORM_UNARY(sinh)
SINTER_PLATFORM_UNARY(cosh)
SINTER_PLATFORM_UNARY(asinh)
SINTER_PLATFORM_UNARY(acosh)
SINTER_PLATFORM_UNARY(atanh)
SINTER_PLATFORM_UNARY(erfc)
SINTER_PLATFORM_BINARY(atan2)
SINTER_PLATFORM_BINARY(hypot)
SINTER_PLATFORM_BINARY(pow)
#undef SINTER_PLATFORM_UNARY
#undef SINTER_PLATFORM_BINARY

}  // namespace sinter::llvm_codegen
