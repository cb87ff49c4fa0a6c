// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

// Every sampler case of every op gives the reference's bits on the CPU back end.
TEST(AllOps, CpuGivesTheReferenceBits) {
  int cases = 0;
  const auto failures = compare_all_ops(Device::cpu(), cases);
  for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
  EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  EXPECT_GT(cases, 1000);
}

// Nor does any bit depend on what is fused, or on what else is returned.
TEST(AllOps, FusionChangesNoBitOnTheCpu) {
  int cases = 0;
  const auto failures = compare_all_fusions(Device::cpu(), 1, cases);
  for (size_t i = 0; i < failures.size() && i < 60; ++i) ADD_FAILURE() << failures[i];
  EXPECT_TRUE(failures.empty()) << failures.size() << " failures";
  EXPECT_GT(cases, 1000);
}

}  // namespace
}  // namespace sinter::test
