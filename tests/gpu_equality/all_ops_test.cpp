// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

constexpr size_t parts = 8;  // NVRTC compiles one kernel at a time in a process: ctest runs the parts side by side

class AllOps : public testing::TestWithParam<size_t> {
 protected:
  static void expect_none(const std::vector<std::string>& failures) {
    for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
    EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  }
};

// Every sampler case of every op gives the reference's bits on the GPU.
TEST_P(AllOps, CudaGivesTheReferenceBits) {
  int cases = 0;
  expect_none(compare_all_ops(Device::cuda(0), cases, {GetParam(), parts}));
  EXPECT_GT(cases, 500);
}

TEST_P(AllOps, FusionChangesNoBitOnTheGpu) {
  int cases = 0;
  expect_none(compare_all_fusions(Device::cuda(0), 7, cases, {GetParam(), parts}));
  EXPECT_GT(cases, 70);
}

INSTANTIATE_TEST_SUITE_P(Parts, AllOps, testing::Range(size_t{0}, parts));

}  // namespace
}  // namespace sinter::test
