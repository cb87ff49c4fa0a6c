// SPDX-License-Identifier: Apache-2.0
// How a call of gemm is read for matrix libraries, and what a missing library says.
#include "runtime/exec/library/gemm.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "runtime/exec/library/provider.h"
#include "runtime/exec/library/shared_object.h"

namespace sinter::exec {
namespace {

CallTensor tensor(const Dims& shape, const Dims& strides, DType dtype = f32) { return {dtype, shape, strides, 16}; }

CallTensor dense(const Dims& shape, DType dtype = f32) {
  Dims strides = Dims::filled(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return tensor(shape, strides, dtype);
}

Gemm gemm(CallTensor a, CallTensor b, CallTensor d) {
  CallDescription call;
  call.op = "gemm";
  call.words = {0, 0};
  call.operands = {std::move(a), std::move(b)};
  call.results = {std::move(d)};
  return gemm_of(call);
}

TEST(GemmDescription, TransposesAreLeadingDimensions) {
  const Gemm g = gemm(tensor({3, 5}, {1, 7}), tensor({5, 4}, {9, 1}), dense({3, 4}));
  EXPECT_FALSE(g.a.row_major);
  EXPECT_EQ(g.a.leading, 7);
  EXPECT_TRUE(g.b.row_major);
  EXPECT_EQ(g.b.leading, 9);
  EXPECT_EQ(g.batches, 1);
}

TEST(GemmDescription, BatchesOfOneRightMatrixAreRows) {
  const Gemm g = gemm(dense({2, 6, 3, 5}), tensor({5, 4}, {1, 5}), dense({2, 6, 3, 4}));
  EXPECT_EQ(g.m, 36);
  EXPECT_EQ(g.batches, 1);
  EXPECT_EQ(g.offsets.size(), 1u);
}

TEST(GemmDescription, SingleRowsBecomeAMatrixWhateverTheirStep) {
  const Gemm g = gemm(tensor({6, 1, 5}, {20, 5, 1}), dense({5, 4}), dense({6, 1, 4}));
  EXPECT_EQ(g.m, 6);
  EXPECT_EQ(g.a.leading, 20);
  EXPECT_EQ(g.batches, 1);
}

TEST(GemmDescription, BatchesKeepTheirStrides) {
  const Gemm g = gemm(tensor({6, 3, 5}, {100, 5, 1}), dense({6, 5, 4}), dense({6, 3, 4}));
  EXPECT_EQ(g.batches, 6);
  EXPECT_EQ(g.a.batch_stride, 100);
  EXPECT_EQ(g.b.batch_stride, 20);
  EXPECT_EQ(g.d.batch_stride, 12);
}

TEST(GemmDescription, BatchesThatCrossAreSeveralLaunches) {
  const Gemm g = gemm(tensor({2, 1, 5, 3}, {15, 15, 1, 5}), dense({1, 4, 3, 2}), dense({2, 4, 5, 2}));
  EXPECT_EQ(g.batches, 4);
  EXPECT_EQ(g.a.batch_stride, 0);
  using Offsets = std::array<int64_t, 3>;
  EXPECT_EQ(g.offsets, (std::vector<Offsets>{{0, 0, 0}, {15, 0, 40}}));
}

TEST(GemmDescription, RefusalsNameTheReason) {
  CallDescription call;
  call.words = {0, 0};
  call.operands = {dense({3, 5}, f64), dense({5, 4}, f64)};
  call.results = {dense({3, 4}, f64)};
  EXPECT_EQ(why_no_gemm(call), "only f32, f16 and bf16, not f64");
  call.operands = {dense({3, 0}), dense({0, 4})};
  call.results = {dense({3, 4})};
  EXPECT_EQ(why_no_gemm(call), "the inner extent is 0");
}

TEST(SharedObjects, SayWhatWasTried) {
  const SharedObject object({"libnothing.so.7", "/nowhere/libnothing.so"});
  EXPECT_FALSE(object.found());
  EXPECT_EQ(object.tried(), "tried libnothing.so.7, /nowhere/libnothing.so: not found");
  int (*function)() = nullptr;
  EXPECT_FALSE(object.find("anything", function));
}

TEST(Providers, TheBuiltInOnesServeProductsOfTheirDevice) {
  for (const Provider* p : providers()) {
    const bool cpu = p->serves("gemm", Device::cpu()), cuda = p->serves("gemm", Device::cuda(0));
    if (p->name() == "cublaslt") {
      EXPECT_TRUE(cuda && !cpu);
      EXPECT_FALSE(p->serves("matmul", Device::cuda(0)));
    }
    if (cpu) {
      EXPECT_EQ(find_provider(p->name(), "gemm", Device::cpu()), p);
    }
    if (cuda) {
      EXPECT_EQ(find_provider(p->name(), "gemm", Device::cuda(0)), p);
    }
  }
}

}  // namespace
}  // namespace sinter::exec
