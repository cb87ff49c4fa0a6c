// SPDX-License-Identifier: Apache-2.0
// Rows that bulk copies bring: wherever they begin, however many there are, nothing around them is read.
#include <cstdlib>
#include <random>

#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class StagedRows : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  /// One for each processor of the emulator, two for those of a large GPU.
  static int64_t enough_rows() { return std::getenv("SINTER_TEST_GPU") == nullptr ? 4 : 300; }
  static Tensor values(int64_t n, DType dtype) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = normal(random);
    return to(from<float>(v, {n}), dtype);
  }
};

Tensor centred(Tensor x) {
  const Tensor wide = to(x, f32);
  return amax(wide - mean(wide, {.dims = {1}, .keepdim = true}), {.dims = {1}});
}

// The emulator's memory ends with the last row; the first element is a multiple of no more than its own size. Rows
// that are fewer than processors would be spread.
TEST_F(StagedRows, BeginAtAnyAddress) {
  const int64_t count = enough_rows();
  for (const auto& [dtype, n] : {std::pair<DType, int64_t>{f32, 16417}, {bf16, 33001}, {u8, 66001}}) {
    auto expected = compile(centred, {.backend = "reference"}), f = compile(centred);
    for (const int64_t begin : {0, 1, 3, 7, 13}) {
      const Tensor all = values(begin + count * n, dtype), there = to(all, Device::cuda(0));
      auto* const first = static_cast<std::byte*>(there.data_ptr()) + begin * dtype.bytes();
      const Tensor rows = from_blob(first, {count, n}, dtype, Device::cuda(0));
      EXPECT_TRUE(contains(f.explain(rows).kernels().at(0).source, "sn_bulk_copy(")) << dtype.name();
      EXPECT_EQ(bits<float>(f(rows)), bits<float>(expected(reshape(slice(all, 0, begin), {count, n}))))
          << dtype.name() << " from " << begin;
    }
  }
}

TEST_F(StagedRows, AnyNumberOfThem) {
  auto expected = compile(centred, {.backend = "reference"}), f = compile(centred);
  for (const int64_t rows : {4, 5, 2, 0, 1, 7}) {
    const Tensor x = reshape(values(rows * 16417, f32), {rows, 16417});
    EXPECT_EQ(bits<float>(f(to(x, Device::cuda(0)))), bits<float>(expected(x))) << rows;
  }
  EXPECT_LE(f.stats().compilations, 4);  // as they are first, of any number, none, one
}

// Rows of a matrix that is wider.
TEST_F(StagedRows, ApartFromEachOther) {
  auto expected = compile(centred, {.backend = "reference"}), f = compile(centred);
  const Tensor x = reshape(values(5 * 33333, bf16), {5, 33333});
  const auto part = [](const Tensor& t) { return slice(slice(t, 0, 1), 1, 5, 33006); };
  EXPECT_EQ(bits<float>(f(part(to(x, Device::cuda(0))))), bits<float>(expected(part(x))));
}

}  // namespace
}  // namespace sinter::test
