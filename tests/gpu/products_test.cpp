// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/linalg/product_cases.h"

namespace sinter::test {
namespace {

void expect_none(const std::vector<std::string>& failures) {
  for (const std::string& f : failures) ADD_FAILURE() << f;
}

TEST(GpuProducts, MatricesOfEveryLayoutAndSmallExtent) { expect_none(exact_matrices(Device::cuda(0))); }
TEST(GpuProducts, Batches) { expect_none(exact_batches(Device::cuda(0))); }
TEST(GpuProducts, BiasesAndActivations) { expect_none(exact_epilogues(Device::cuda(0))); }
TEST(GpuProducts, RandomValuesKeepTheBound) { expect_none(random_products(Device::cuda(0))); }
TEST(GpuProducts, SpecialValuesGoThrough) { expect_none(special_values(Device::cuda(0))); }

// cuBLASLt reads the transposed weight where it lies and adds bias and gelu itself: one call, no kernel.
TEST(GpuProducts, ALinearLayerIsOneCall) {
  auto f =
      compile([](Tensor x, Tensor w, Tensor b) { return gelu(linear(x, w, b), {.approximate = Approximate::tanh}); },
              {.name = "layer"});
  const Tensor x = zeros({64, 4, 128}, bf16, Device::cuda(0)), w = zeros({256, 128}, bf16, Device::cuda(0)),
               b = zeros({256}, bf16, Device::cuda(0));
  const Explanation e = f.explain(x, w, b);
  EXPECT_EQ(e.kernels().size(), 0u) << e.text();
  ASSERT_EQ(e.library_calls().size(), 1u) << e.text();
  EXPECT_EQ(e.library_calls()[0].library, "cublaslt");
  EXPECT_EQ(e.library_calls()[0].operands[1], "bf16 [128,256] strides [1,128]");
}

TEST(GpuProducts, WorkInACapturedStreamAndAllocateNothing) {
  const Device device = Device::cuda(0);
  auto f = compile([](Tensor a, Tensor b) { return relu(matmul(a + 1, b)) * 2; }, {.name = "captured"});
  const Tensor a = full({256, 128}, 1, f32, device), b = full({128, 64}, 0.5, f32, device);
  for (int i = 0; i < 3; ++i) (void)f(a, b);
  const int64_t allocations = memory_use(device).allocations;
  for (int i = 0; i < 10; ++i) (void)f(a, b);
  EXPECT_EQ(memory_use(device).allocations, allocations);
  EXPECT_EQ(to_vector<float>(f(a, b)), std::vector<float>(256 * 64, 256.0f));
}

}  // namespace
}  // namespace sinter::test
