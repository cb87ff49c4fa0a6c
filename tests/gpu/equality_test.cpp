// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

// Every sampler case of every op gives the reference's bits on the GPU.
TEST(AllOps, CudaGivesTheReferenceBits) {
  int cases = 0;
  const auto failures = compare_all_ops(Device::cuda(0), cases);
  for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
  EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  EXPECT_GT(cases, 1000);
}

TEST(AllOps, FusionChangesNoBitOnTheGpu) {
  int cases = 0;
  const auto failures = compare_all_fusions(Device::cuda(0), 7, cases);
  for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
  EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  EXPECT_GT(cases, 200);
}

}  // namespace
}  // namespace sinter::test
