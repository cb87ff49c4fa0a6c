// SPDX-License-Identifier: Apache-2.0
// What hardware approximates on CUDA, here as polynomials of f32 with fma: relative error below 4e-7 each, exact at the
// ends of the range (infinities, zeros, NaN, subnormals).
#include <llvm/IR/Intrinsics.h>

#include <numbers>

#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

class Approximation {
 public:
  explicit Approximation(const ScalarCall& c)
      : b(c.b), lanes_(c.lanes()), floats(vector_of(b.getFloatTy(), lanes_)), ints(vector_of(b.getInt32Ty(), lanes_)) {}

  llvm::Value* number(double v) const { return llvm::ConstantFP::get(floats, v); }
  llvm::Value* integer(int64_t v) const { return llvm::ConstantInt::getSigned(ints, v); }
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) const {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {floats}, {x, y, z});
  }
  /// Horner: coefficients from the highest power down.
  llvm::Value* polynomial(llvm::Value* x, std::initializer_list<double> coefficients) const {
    llvm::Value* sum = nullptr;
    for (const double k : coefficients) sum = sum ? fma(sum, x, number(k)) : number(k);
    return sum;
  }
  /// 2^e for -126 <= e <= 127.
  llvm::Value* power_of_two(llvm::Value* e) const {
    return b.CreateBitCast(b.CreateShl(b.CreateAdd(e, integer(127)), integer(23)), floats);
  }

  Builder& b;

 private:
  int lanes_;

 public:
  llvm::Type* floats;
  llvm::Type* ints;
};

}  // namespace

llvm::Value* emit_ex2_approx(const ScalarCall& c) {
  const Approximation a(c);
  Builder& b = c.b;
  // Ordered comparisons: NaN passes through both clamps.
  llvm::Value* x = b.CreateSelect(b.CreateFCmpOGT(c.x[0], a.number(129)), a.number(129), c.x[0]);
  x = b.CreateSelect(b.CreateFCmpOLT(x, a.number(-152)), a.number(-152), x);
  llvm::Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
  llvm::Value* f = b.CreateFSub(x, n);
  // Taylor coefficients ln(2)^k / k!; on [-1/2, 1/2] the first one left out is 1.2e-7.
  llvm::Value* p = a.polynomial(f, {1.54035303933816e-4, 1.33335581464284e-3, 9.61812910762848e-3, 5.55041086648216e-2,
                                    0.240226506959101, std::numbers::ln2, 1.0});
  // Two steps, because n may lie outside the exponents of normal numbers.
  llvm::Value* e = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {a.ints, a.floats}, {n});
  llvm::Value* half = b.CreateAShr(e, a.integer(1));
  return b.CreateFMul(b.CreateFMul(p, a.power_of_two(half)), a.power_of_two(b.CreateSub(e, half)));
}

llvm::Value* emit_lg2_approx(const ScalarCall& c) {
  const Approximation a(c);
  Builder& b = c.b;
  // Subnormals are scaled into the normal range first.
  llvm::Value* small = b.CreateFCmpOLT(c.x[0], llvm::ConstantFP::get(a.floats, 0x1p-126));
  llvm::Value* x = b.CreateSelect(small, b.CreateFMul(c.x[0], a.number(0x1p23)), c.x[0]);
  llvm::Value* bias = b.CreateSelect(small, a.integer(23), a.integer(0));
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2))
  llvm::Value* bits = b.CreateBitCast(x, a.ints);
  llvm::Value* shifted = b.CreateSub(bits, a.integer(0x3f3504f3));
  llvm::Value* e = b.CreateAShr(shifted, a.integer(23));
  llvm::Value* m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(e, a.integer(23))), a.floats);
  // log2(m) = 2 / ln(2) * atanh(t), t = (m - 1) / (m + 1), |t| < 0.172
  llvm::Value* t = b.CreateFDiv(b.CreateFSub(m, a.number(1)), b.CreateFAdd(m, a.number(1)));
  const double k = 2 / std::numbers::ln2;
  llvm::Value* series = a.polynomial(b.CreateFMul(t, t), {k / 9, k / 7, k / 5, k / 3, k});
  llvm::Value* result = a.fma(t, series, b.CreateSIToFP(b.CreateSub(e, bias), a.floats));
  // 0 gives -inf, negative numbers NaN, infinity and NaN themselves.
  llvm::Value* infinity = llvm::ConstantFP::getInfinity(a.floats);
  llvm::Value* zero = a.number(0);
  result = b.CreateSelect(b.CreateFCmpOLT(c.x[0], infinity), result, c.x[0]);
  result = b.CreateSelect(b.CreateFCmpOLT(c.x[0], zero), llvm::ConstantFP::getNaN(a.floats), result);
  return b.CreateSelect(b.CreateFCmpOEQ(c.x[0], zero), llvm::ConstantFP::getInfinity(a.floats, true), result);
}

llvm::Value* emit_rcp_approx(const ScalarCall& c) { return c.b.CreateFDiv(Approximation(c).number(1), c.x[0]); }

llvm::Value* emit_rsqrt_approx(const ScalarCall& c) {
  return c.b.CreateFDiv(Approximation(c).number(1), c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, c.x[0]));
}

}  // namespace sinter::llvm_codegen
