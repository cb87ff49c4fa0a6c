// SPDX-License-Identifier: Apache-2.0
// Eager joins and pads: one symbolic entry for all shapes, whose boxes may be of any size, on the CPU and on CUDA.
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class EagerJoins : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  const Device device = GetParam() ? Device::cuda(0) : Device::cpu();

  /// first, first + 1, ...: large enough for the code generator, which small CPU tensors do without.
  Tensor numbers(const Dims& shape, float first) const {
    std::vector<float> v(static_cast<size_t>(shape.product()));
    for (size_t i = 0; i < v.size(); ++i) v[i] = first + static_cast<float>(i);
    return to(from<float>(v, shape), device);
  }
};

TEST_P(EagerJoins, CatTakesRowsFromItsOperands) {
  for (const Dims& rows : {Dims{3, 5, 7}, Dims{70, 2, 3}, Dims{2, 2, 130}}) {
    std::vector<Tensor> parts;
    std::vector<float> expected;
    for (size_t i = 0; i < rows.size(); ++i) {
      parts.push_back(numbers({rows[i], 1000}, static_cast<float>(100000 * i)));
      const auto part = to_vector<float>(parts.back());
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(to_vector<float>(cat(parts, 0)), expected) << rows.text();
    EXPECT_EQ(to_vector<float>(transpose(cat({transpose(parts[0], 0, 1), transpose(parts[1], 0, 1)}, 1), 0, 1)),
              to_vector<float>(cat({parts[0], parts[1]}, 0)))
        << rows.text();
  }
}

TEST_P(EagerJoins, PadSurroundsATensorOrCutsIt) {
  const int64_t height = 40, width = 500;
  const Tensor x = numbers({height, width}, 1);
  for (const Dims& p : {Dims{20, 30, 2, 3}, Dims{1, 1, 1, 1}, Dims{-7, 40, 5, -30}, Dims{-3, -4, -5, -6}}) {
    const Tensor y = pad(x, p, -1.0);
    const auto got = to_vector<float>(y);
    ASSERT_EQ(y.shape(), (Dims{height + p[2] + p[3], width + p[0] + p[1]}));
    for (int64_t i = 0, k = 0; i < y.shape()[0]; ++i)
      for (int64_t j = 0; j < y.shape()[1]; ++j, ++k) {
        const int64_t r = i - p[2], c = j - p[0];
        const bool inside = r >= 0 && r < height && c >= 0 && c < width;
        ASSERT_EQ(got[static_cast<size_t>(k)], inside ? static_cast<float>(r * width + c + 1) : -1)
            << p.text() << " at " << i << ", " << j;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, EagerJoins, testing::Bool(),
                         [](const auto& d) { return std::string(d.param ? "cuda" : "cpu"); });

}  // namespace
}  // namespace sinter::test
