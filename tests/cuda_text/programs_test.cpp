// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <span>
#include <sstream>

#include "src/loop/canonical_fold.h"
#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing {
namespace {

tile_ir::Kernel program(const std::string& name) {
  std::ifstream in(std::string(SINTER_SOURCE_DIR "/tests/tile/") + name);
  std::stringstream s;
  s << in.rdbuf();
  return tile_ir::parse(s.str());
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

/// Rows whose sums are exact, so that any order gives them.
std::vector<scalar::Constant> halves(std::vector<unsigned char>& bytes, int64_t n) {
  std::vector<scalar::Constant> values;
  bytes.resize(static_cast<size_t>(2 * n));
  for (int64_t i = 0; i < n; ++i) {
    values.push_back(scalar::constant_of(f32, static_cast<double>(i * 7919 % 1013) / 64 - 7));
    scalar::store_element(bytes.data() + 2 * i, f16, values.back());
  }
  return values;
}

float folded(scalar::ReduceKind kind, std::span<const scalar::Constant> values) {
  return std::bit_cast<float>(static_cast<uint32_t>(
      loop::canonical_fold(kind, f32, std::vector<scalar::Constant>(values.begin(), values.end())).bits));
}

TEST(Programs, KeptRows) {
  const DeviceKernel kept_rows(program("kept_rows.tile"));
  for (const int64_t n : {1, 2048, 3000, 4096}) {
    std::vector<unsigned char> bytes;
    const auto values = halves(bytes, 2 * n);
    const DeviceArray<unsigned char> x(bytes);
    const DeviceArray<float> y(std::vector<float>(values.size(), -1));
    kept_rows(2, x, y, n);
    for (int64_t r = 0; r < 2; ++r) {
      const auto row = std::span(values).subspan(static_cast<size_t>(r * n), static_cast<size_t>(n));
      const float sum = folded(scalar::ReduceKind::sum, row);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(y.values()[static_cast<size_t>(r * n + i)],
                  std::bit_cast<float>(static_cast<uint32_t>(row[static_cast<size_t>(i)].bits)) - sum)
            << n;
    }
  }
}

TEST(Programs, RowsOverAClusterOfPrograms) {
  const DeviceKernel cluster_rows(program("../cuda_text/kernels/cluster_rows.tile"));
  for (const int64_t n : {5000, 13000, 16384}) {
    std::vector<unsigned char> bytes;
    const auto values = halves(bytes, n);
    const DeviceArray<unsigned char> x(bytes);
    const DeviceArray<float> y(std::vector<float>(values.size(), -1));
    cluster_rows(4, x, y, n);
    float top = -0.0f;  // of quarters without elements
    for (int64_t begin = 0; begin < n; begin += 4096)
      top = std::max(top, folded(scalar::ReduceKind::sum,
                                 std::span(values).subspan(static_cast<size_t>(begin),
                                                           static_cast<size_t>(std::min<int64_t>(4096, n - begin)))));
    const float sum = folded(scalar::ReduceKind::sum, values);
    const std::vector<float> got = y.values();
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], std::bit_cast<float>(static_cast<uint32_t>(values[i].bits)) - sum + top) << n << " " << i;
  }
}

TEST(Programs, FoldOverTheGrid) {
  const DeviceKernel grid_sum(program("grid_sum.tile"));
  for (const int64_t n : {1, 1000, 1024, 1025, 5000, 300000}) {
    const int64_t matrices = n > 100000 ? 1 : 3, pieces = (n + 1023) / 1024;
    std::vector<float> x(static_cast<size_t>(4 * matrices * n));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 1013) / 64.0f - 7;
    const auto results = static_cast<size_t>(4 * matrices), of_pieces = static_cast<size_t>(4 * matrices * pieces);
    const DeviceArray<float> dx(x), sums(std::vector<float>(results, -1)), largest(std::vector<float>(results, -1)),
        work0(std::vector<float>(of_pieces, 7)), work1(std::vector<float>(of_pieces, 7));
    const DeviceArray<uint32_t> arrivals(std::vector<uint32_t>(static_cast<size_t>(matrices), 0));
    for (int call = 0; call < 2; ++call) grid_sum(matrices * pieces, dx, sums, largest, work0, work1, arrivals, n);
    EXPECT_EQ(arrivals.values(), std::vector<uint32_t>(static_cast<size_t>(matrices), 0));
    for (int64_t r = 0; r < 4 * matrices; ++r) {
      std::vector<scalar::Constant> column;
      for (int64_t i = 0; i < n; ++i)
        column.push_back(scalar::constant_of(f32, x[static_cast<size_t>((r / 4 * n + i) * 4 + r % 4)]));
      const auto folded = [&](scalar::ReduceKind kind) { return loop::canonical_fold(kind, f32, column).bits; };
      EXPECT_EQ(slot(sums.values()[static_cast<size_t>(r)]), folded(scalar::ReduceKind::sum)) << n;
      EXPECT_EQ(slot(largest.values()[static_cast<size_t>(r)]), folded(scalar::ReduceKind::amax)) << n;
    }
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
