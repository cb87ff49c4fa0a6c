// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/linalg/product_cases.h"

namespace sinter::test {
namespace {

void expect_none(const std::vector<std::string>& failures) {
  for (const std::string& f : failures) ADD_FAILURE() << f;
}

TEST(Products, MatricesOfEveryLayoutAndSmallExtent) { expect_none(exact_matrices(Device::cpu())); }
TEST(Products, Batches) { expect_none(exact_batches(Device::cpu())); }
TEST(Products, BiasesAndActivations) { expect_none(exact_epilogues(Device::cpu())); }
TEST(Products, RandomValuesKeepTheBound) { expect_none(random_products(Device::cpu())); }
TEST(Products, SpecialValuesGoThrough) { expect_none(special_values(Device::cpu())); }

}  // namespace
}  // namespace sinter::test
