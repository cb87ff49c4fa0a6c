// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing {
namespace {

tile::Kernel program(const std::string& name) {
  std::ifstream in(std::string(SINTER_SOURCE_DIR "/tests/tile/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return tile::parse(s.str());
}

TEST(Programs, Softmax) {
  const DeviceKernel softmax(program("softmax.tile"));
  for (const int64_t n : {1, 5, 1000, 1024}) {
    const int64_t rows = 3;
    std::vector<float> x(static_cast<size_t>(rows * n));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 37) % 101) / 16.0f;
    const DeviceArray<float> dx(x), dy(std::vector<float>(x.size(), -1));
    softmax(rows, dx, dy, n);
    const std::vector<float> y = dy.values();
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = x.data() + r * n;
      float top = -INFINITY;
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) top = std::max(top, row[i]);
      for (int64_t i = 0; i < n; ++i) sum += std::exp2(row[i] - top);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_NEAR(y[static_cast<size_t>(r * n + i)], std::exp2(row[i] - top) / sum, 1e-6)
            << n << " " << r << " " << i;
    }
  }
}

TEST(Programs, Transpose) {
  const DeviceKernel transpose(program("transpose.tile"));
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{16, 16}, {1, 1}, {37, 50}, {64, 33}}) {
    std::vector<float> x(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    const DeviceArray<float> dx(x), dy(std::vector<float>(x.size(), -1));
    transpose((rows + 15) / 16 * ((columns + 15) / 16), dx, dy, rows, columns);
    const std::vector<float> y = dy.values();
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        ASSERT_EQ(y[static_cast<size_t>(c * rows + r)], x[static_cast<size_t>(r * columns + c)]);
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
