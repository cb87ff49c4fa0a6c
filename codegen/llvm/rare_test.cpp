// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/rare_test.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>

#include <utility>

namespace sinter::llvm_codegen {

namespace {

namespace match = llvm::PatternMatch;

/// The bits of a positive f32 constant (or a vector of it), else 0.
uint64_t positive_bits(llvm::Value* v) {
  const llvm::APFloat* limit = nullptr;
  if (!v->getType()->getScalarType()->isFloatTy() || !match::match(v, match::m_APFloat(limit))) return 0;
  return limit->isNegative() || !limit->isFiniteNonZero() ? 0 : limit->bitcastToAPInt().getZExtValue();
}

class RareTest {
 public:
  explicit RareTest(Builder& b) : b_(b) {}

  void add(llvm::Value* c) {
    llvm::Value *x = nullptr, *y = nullptr;
    if (match::match(c, match::m_Or(match::m_Value(x), match::m_Value(y)))) {
      add(x);
      add(y);
    } else if (!add_above(c) && !add_between(c)) {
      llvm::Value* scalar = c->getType()->isVectorTy() ? llvm::getSplatValue(c) : nullptr;
      others_.insert(scalar ? scalar : c);
    }
  }

  llvm::Value* any() {
    for (const auto& [key, magnitude] : above_)
      others_.insert(b_.CreateICmpUGT(magnitude, llvm::ConstantInt::get(key.second, key.first)));
    for (const auto& [key, magnitude] : between_)
      others_.insert(b_.CreateICmpULT(magnitude, llvm::ConstantInt::get(key.second, key.first - 1)));
    llvm::MapVector<llvm::Type*, llvm::Value*> by_type;
    for (llvm::Value* v : others_) {
      llvm::Value*& sum = by_type[v->getType()];
      sum = sum ? b_.CreateOr(sum, v) : v;
    }
    llvm::Value* any = nullptr;
    for (const auto& [type, mask] : by_type) {
      llvm::Value* one = type->isVectorTy() ? b_.CreateOrReduce(mask) : mask;
      any = any ? b_.CreateOr(any, one) : one;
    }
    return any;
  }

 private:
  using Folded = llvm::MapVector<std::pair<uint64_t, llvm::Type*>, llvm::Value*>;

  /// limit < |x|: the largest magnitude decides. As integers, NaN is above all.
  bool add_above(llvm::Value* c) {
    llvm::Value *limit = nullptr, *x = nullptr;
    llvm::CmpInst::Predicate predicate;
    if (!match::match(c, match::m_FCmp(predicate, match::m_Value(limit), match::m_FAbs(match::m_Value(x)))))
      return false;
    const uint64_t bits = positive_bits(limit);
    if (predicate != llvm::CmpInst::FCMP_OLT || bits == 0) return false;
    fold(above_, bits, magnitude(llvm::cast<llvm::CmpInst>(c)->getOperand(1)), llvm::Intrinsic::umax);
    return true;
  }

  /// 0 < |x| < limit, written |x| < limit and x != 0: the least of the magnitudes less one, where zero becomes the
  /// greatest.
  bool add_between(llvm::Value* c) {
    llvm::Value *small = nullptr, *nonzero = nullptr, *limit = nullptr, *x = nullptr;
    llvm::CmpInst::Predicate less, differs;
    if (!match::match(c, match::m_And(match::m_Value(small), match::m_Value(nonzero))) ||
        !match::match(small, match::m_FCmp(less, match::m_FAbs(match::m_Value(x)), match::m_Value(limit))) ||
        !match::match(nonzero, match::m_FCmp(differs, match::m_Specific(x), match::m_AnyZeroFP())))
      return false;
    const uint64_t bits = positive_bits(limit);
    if (less != llvm::CmpInst::FCMP_OLT || differs != llvm::CmpInst::FCMP_UNE || bits == 0) return false;
    llvm::Value* m = magnitude(llvm::cast<llvm::CmpInst>(small)->getOperand(0));
    fold(between_, bits, b_.CreateSub(m, llvm::ConstantInt::get(m->getType(), 1)), llvm::Intrinsic::umin);
    return true;
  }

  llvm::Value* magnitude(llvm::Value* absolute) {
    return b_.CreateBitCast(absolute, absolute->getType()->getWithNewType(b_.getInt32Ty()));
  }

  void fold(Folded& into, uint64_t bits, llvm::Value* m, llvm::Intrinsic::ID with) {
    llvm::Value*& v = into[{bits, m->getType()}];
    v = v ? b_.CreateBinaryIntrinsic(with, v, m) : m;
  }

  Builder& b_;
  Folded above_, between_;
  llvm::SmallSetVector<llvm::Value*, 8> others_;  ///< masks, and scalars of masks that are equal in all lanes
};

}  // namespace

llvm::Value* rare_test(Builder& b, const TileValue& condition) {
  RareTest test(b);
  for (const Chunks& part : condition)
    for (llvm::Value* chunk : part) test.add(chunk);
  return test.any();
}

}  // namespace sinter::llvm_codegen
