// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

constexpr size_t parts =
    8;  // ctest shares them out: all kernels at once would be more mappings than a process may have

class AllOps : public testing::TestWithParam<size_t> {
 protected:
  static void expect_none(const std::vector<std::string>& failures) {
    for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
    EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  }
};

// Every sampler case of every op gives the reference's bits on the CPU back end.
TEST_P(AllOps, CpuGivesTheReferenceBits) {
  int cases = 0;
  expect_none(compare_all_ops(Device::cpu(), cases, {GetParam(), parts}));
  EXPECT_GT(cases, 500);
}

// Nor does any bit depend on what is fused, or on what else is returned.
TEST_P(AllOps, FusionChangesNoBitOnTheCpu) {
  int cases = 0;
  expect_none(compare_all_fusions(Device::cpu(), 1, cases, {GetParam(), parts}));
  EXPECT_GT(cases, 500);
}

INSTANTIATE_TEST_SUITE_P(Parts, AllOps, testing::Range(size_t{0}, parts));

}  // namespace
}  // namespace sinter::test
