// SPDX-License-Identifier: Apache-2.0
// Reductions against a slow host implementation of the canonical order, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "codegen/tile/builder.h"
#include "tests/llvm/compiled_kernel.h"

namespace sinter::llvm_codegen {
namespace {

using tile_ir::ReduceKind;

/// The canonical order as DESIGN states it, written for reading: absent elements and subtrees are skipped.
template <class T, class Op>
class CanonicalOrder {
 public:
  CanonicalOrder(const std::vector<T>& x, Op op) : x_(x), op_(op) {}

  T fold() const {
    std::vector<T> chunks;
    for (size_t begin = 0; begin < x_.size(); begin += 1024)
      chunks.push_back(chunk(begin, std::min(x_.size(), begin + 1024)));
    return tree(chunks);
  }

 private:
  T chunk(size_t begin, size_t end) const {
    std::vector<T> partials;
    for (size_t p = begin; p < std::min(end, begin + 256); ++p) {
      T sum = x_[p];
      for (size_t j = p + 256; j < end; j += 256) sum = op_(sum, x_[j]);
      partials.push_back(sum);
    }
    return tree(partials);
  }
  T tree(std::vector<T> level) const {
    while (level.size() > 1) {
      std::vector<T> next;
      for (size_t i = 0; i < level.size(); i += 2)
        next.push_back(i + 1 < level.size() ? op_(level[i], level[i + 1]) : level[i]);
      level = next;
    }
    return level[0];
  }

  const std::vector<T>& x_;
  Op op_;
};

template <class T, class Op>
T canonical(const std::vector<T>& x, Op op) {
  return CanonicalOrder<T, Op>(x, op).fold();
}

std::vector<float> random_floats(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

/// One row of up to parts * lanes elements to one number; absent elements are `identity`.
tile_ir::Kernel row_kernel(DType t, ReduceKind kind, int lanes, int parts, double identity) {
  tile_ir::KernelBuilder b("row");
  const int x = b.add_pointer("x", t), y = b.add_pointer("y", t, {.written = true}), n = b.add_scalar("n", i64);
  tile_ir::Access row, one;
  row.parts = tile_ir::along(0, lanes);
  row.dims = {tile_ir::along(0, 1)};
  row.row_masked = true;
  row.row_extent = tile_ir::Index(b.parameter(n));
  one.dims = {tile_ir::along(0, 1)};
  const DType compute = scalar::compute_type(t);
  const tile_ir::Value v = b.block_load(x, row, {lanes}, parts, b.constant(compute, identity));
  b.block_store(y, one, b.reduce(kind, tile_ir::parts_dim, b.reduce(kind, 0, v)));
  return b.finish();
}

template <class T, class Op>
void check_lengths(const CompiledKernel& kernel, const std::vector<T>& data, const std::vector<size_t>& lengths,
                   Op op) {
  for (const size_t n : lengths) {
    const std::vector<T> x(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n));
    T got{};
    kernel(0, 1, x.data(), &got, static_cast<int64_t>(n));
    const T expected = canonical(x, op);
    ASSERT_EQ(std::memcmp(&got, &expected, sizeof(T)), 0) << n << " elements: expected " << expected << ", got " << got;
  }
}

std::vector<size_t> lengths_up_to(size_t n) {
  std::vector<size_t> r;
  for (size_t k = 1; k <= n; k += k < 300 ? 1 : 37) r.push_back(k);
  for (size_t k = 256; k <= n; k += 256) r.insert(r.end(), {k - 1, k});
  return r;
}

TEST(LlvmReduce, SumsAndProductsFollowTheCanonicalOrder) {
  const auto add = [](auto a, auto b) { return a + b; };
  const auto multiply = [](auto a, auto b) { return a * b; };
  for (const TargetOptions& target : runnable_targets()) {
    const std::vector<float> x = random_floats(5120, 1);
    check_lengths(CompiledKernel(row_kernel(f32, ReduceKind::sum, 1024, 5, -0.0), target), x, lengths_up_to(5000), add);
    check_lengths(CompiledKernel(row_kernel(f32, ReduceKind::sum, 2048, 1, -0.0), target), x, lengths_up_to(2048), add);
    for (const int lanes : {1, 2, 8, 16, 64, 256, 512})
      check_lengths(CompiledKernel(row_kernel(f32, ReduceKind::sum, lanes, 1, -0.0), target), x,
                    lengths_up_to(static_cast<size_t>(lanes)), add);
    std::vector<float> near_one = x;
    for (float& v : near_one) v = 1 + v / 1024;
    check_lengths(CompiledKernel(row_kernel(f32, ReduceKind::prod, 1024, 2, 1), target), near_one, lengths_up_to(2048),
                  multiply);
    const std::vector<double> wide(x.begin(), x.end());
    check_lengths(CompiledKernel(row_kernel(f64, ReduceKind::sum, 1024, 2, -0.0), target), wide, lengths_up_to(2048),
                  add);
  }
}

TEST(LlvmReduce, NegativeZerosStay) {
  const CompiledKernel kernel(row_kernel(f32, ReduceKind::sum, 64, 1, -0.0));
  const std::vector<float> x(64, -0.0f);
  for (int64_t n = 1; n <= 64; ++n) {
    float y = 1;
    kernel(0, 1, x.data(), &y, n);
    EXPECT_TRUE(y == 0 && std::signbit(y)) << n;
  }
}

/// Extremes of rows of up to two parts of `lanes`.
void check_extremes(int lanes, size_t step) {
  const CompiledKernel largest(row_kernel(f32, ReduceKind::amax, lanes, 2, -std::numeric_limits<double>::infinity()));
  const CompiledKernel smallest(row_kernel(f32, ReduceKind::amin, lanes, 2, std::numeric_limits<double>::infinity()));
  for (size_t n = 1; n <= 2 * static_cast<size_t>(lanes); n += step) {
    std::vector<float> x = random_floats(n, n);
    float high = 0, low = 0;
    const auto run = [&] {
      largest(0, 1, x.data(), &high, static_cast<int64_t>(n));
      smallest(0, 1, x.data(), &low, static_cast<int64_t>(n));
    };
    run();
    EXPECT_EQ(high, *std::max_element(x.begin(), x.end()));
    EXPECT_EQ(low, *std::min_element(x.begin(), x.end()));
    x[n * 7 / 9] = std::numeric_limits<float>::quiet_NaN();
    run();
    EXPECT_TRUE(std::isnan(high) && std::isnan(low)) << n;
    std::fill(x.begin(), x.end(), -0.0f);
    x[n / 2] = 0.0f;
    run();
    EXPECT_FALSE(std::signbit(high)) << n;
    EXPECT_EQ(std::signbit(low), n > 1) << n;
  }
}

TEST(LlvmReduce, ExtremaPropagateNaNAndOrderZeros) {
  check_extremes(64, 1);
  check_extremes(1024, 61);  // folded by comparisons first
}

TEST(LlvmReduce, IntegersWrapAndBooleansMeet) {
  const CompiledKernel sum(row_kernel(i32, ReduceKind::sum, 256, 3, 0)),
      product(row_kernel(u64, ReduceKind::prod, 64, 1, 1));
  const CompiledKernel any(row_kernel(boolean, ReduceKind::amax, 64, 1, 0)),
      all(row_kernel(boolean, ReduceKind::amin, 64, 1, 1));
  std::mt19937_64 random(3);
  for (const size_t n : {1, 5, 64, 255, 300, 768}) {
    std::vector<int32_t> x(n);
    uint32_t expected = 0;
    for (int32_t& v : x) expected += static_cast<uint32_t>(v = static_cast<int32_t>(random()));
    int32_t got = 0;
    sum(0, 1, x.data(), &got, static_cast<int64_t>(n));
    EXPECT_EQ(static_cast<uint32_t>(got), expected);
  }
  for (const size_t n : {1, 7, 63, 64}) {
    std::vector<uint64_t> x(n);
    uint64_t expected = 1, got = 0;
    for (uint64_t& v : x) expected *= (v = random() | 1);
    product(0, 1, x.data(), &got, static_cast<int64_t>(n));
    EXPECT_EQ(got, expected);
    for (const uint8_t background : {0, 1}) {
      std::vector<uint8_t> flags(n, background);
      flags[n / 3] ^= 1;
      uint8_t has = 2, whole = 2;
      any(0, 1, flags.data(), &has, static_cast<int64_t>(n));
      all(0, 1, flags.data(), &whole, static_cast<int64_t>(n));
      EXPECT_EQ(has, n > 1 ? 1 : background ^ 1);
      EXPECT_EQ(whole, n > 1 ? 0 : background ^ 1);
    }
  }
}

TEST(LlvmReduce, AnyDimOfATile) {
  // f32[4x16x8] folded along each dim; the order along a dim of up to 256 is the tree.
  const int dims[] = {4, 16, 8};
  const std::vector<float> x = random_floats(512, 5);
  for (const TargetOptions& target : runnable_targets()) {
    for (int dim = 0; dim < 3; ++dim) {
      tile_ir::KernelBuilder b("fold");
      const int in = b.add_pointer("x", f32), out = b.add_pointer("y", f32, {.written = true});
      tile_ir::Access whole, folded;
      whole.dims = {tile_ir::along(0, 128), tile_ir::along(0, 8), tile_ir::along(0, 1)};
      std::vector<int> shape(dims, dims + 3);
      shape[static_cast<size_t>(dim)] = 1;
      folded.dims = {tile_ir::along(0, shape[1] * shape[2]), tile_ir::along(0, shape[2]), tile_ir::along(0, 1)};
      b.block_store(out, folded, b.reduce(ReduceKind::sum, dim, b.block_load(in, whole, {4, 16, 8})));
      std::vector<float> y(512);
      CompiledKernel(b.finish(), target)(0, 1, x.data(), y.data());
      size_t at = 0;
      for (int i = 0; i < shape[0]; ++i)
        for (int j = 0; j < shape[1]; ++j)
          for (int k = 0; k < shape[2]; ++k) {
            std::vector<float> line;
            const int step = dim == 0 ? 128 : dim == 1 ? 8 : 1;
            for (int r = 0; r < dims[dim]; ++r) line.push_back(x[static_cast<size_t>(i * 128 + j * 8 + k + r * step)]);
            EXPECT_EQ(y[at++], canonical(line, [](float a, float c) { return a + c; })) << "dim " << dim;
          }
    }
  }
}

}  // namespace
}  // namespace sinter::llvm_codegen
