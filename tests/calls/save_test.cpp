// SPDX-License-Identifier: Apache-2.0
// Saved functions with library calls, saved and loaded on the CPU and on the emulator.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cache/folder.h"
#include "tests/calls/product.h"

namespace sinter::test {
namespace {

class SavedCallsTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { register_product(); }
  const Device device = GetParam() ? Device::cuda(0) : Device::cpu();
};

Tensor matrix(int64_t rows, int64_t columns, Device device) {
  std::vector<float> v(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(static_cast<int>(i) * 7 % 11 - 5);
  return to(from<float>(v, {rows, columns}), device);
}

TEST_P(SavedCallsTest, GiveTheBitsOfTheFunction) {
  const cache::TemporaryFolder folder;
  const std::string path = (folder.path() / "layer.sinter").string();
  const Tensor weights = matrix(30, 8, device);
  auto layer =
      compile([&](Tensor x) { return relu(product(x + 1, weights, 0.5)) + x.size(1); }, {.dynamic = Dynamic::always});
  layer.save(path, matrix(20, 30, device));
  const Loaded f = load(path);
  for (const int64_t rows : {2, 20, 33}) {
    const Tensor x = matrix(rows, 30, device);
    const int before = product_counts().ran;
    const Tensor got = f({x})[0];
    EXPECT_EQ(product_counts().ran, before + 1);
    EXPECT_EQ(got.device(), device);
    EXPECT_EQ(to_vector<float>(got), to_vector<float>(layer(x))) << rows;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SavedCallsTest, testing::Bool());

}  // namespace
}  // namespace sinter::test
