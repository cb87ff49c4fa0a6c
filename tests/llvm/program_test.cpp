// SPDX-License-Identifier: Apache-2.0
// Whole programs: hand-written text, control flow, shapes in registers, status words, threads, and what objects need.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

#include "codegen/llvm/open.h"
#include "codegen/tile/builder.h"
#include "src/loop/canonical_fold.h"
#include "src/scalar/scalar_ops.h"
#include "tests/llvm/compiled_kernel.h"

namespace sinter::llvm_codegen {
namespace {

using tile_ir::Value;

tile_ir::Kernel program(const std::string& name) {
  std::ifstream in(std::string(SINTER_SOURCE_DIR) + "/tests/tile/" + name);
  std::ostringstream s;
  s << in.rdbuf();
  return tile_ir::parse(s.str());
}

std::vector<float> random_floats(size_t n) {
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

TEST(LlvmPrograms, SoftmaxText) {
  for (const TargetOptions& target : runnable_targets()) {
    const CompiledKernel kernel(program("softmax.tile"), target);
    for (const int64_t n : {1, 2, 15, 16, 100, 1000, 1023, 1024}) {
      constexpr int64_t rows = 3;
      const std::vector<float> x = random_floats(static_cast<size_t>(rows * n));
      std::vector<float> y(x.size());
      kernel(0, rows, x.data(), y.data(), n);
      for (int64_t r = 0; r < rows; ++r) {
        const float* row = x.data() + r * n;
        const double largest = *std::max_element(row, row + n);
        double sum = 0;
        for (int64_t c = 0; c < n; ++c) sum += std::exp2(row[c] - largest);
        for (int64_t c = 0; c < n; ++c)
          ASSERT_NEAR(y[static_cast<size_t>(r * n + c)], std::exp2(row[c] - largest) / sum,
                      1e-6 / std::sqrt(double(n)));
      }
    }
  }
}

TEST(LlvmPrograms, TransposeText) {
  for (const TargetOptions& target : runnable_targets()) {
    const CompiledKernel kernel(program("transpose.tile"), target);
    for (const int64_t rows : {1, 15, 16, 33}) {
      for (const int64_t columns : {1, 16, 17, 50}) {
        const std::vector<float> x = random_floats(static_cast<size_t>(rows * columns));
        std::vector<float> y(x.size());
        kernel(0, ((rows + 15) / 16) * ((columns + 15) / 16), x.data(), y.data(), rows, columns);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c)
            ASSERT_EQ(y[static_cast<size_t>(c * rows + r)], x[static_cast<size_t>(r * columns + c)])
                << rows << "x" << columns;
      }
    }
  }
}

TEST(LlvmPrograms, KeptRows) {
  for (const TargetOptions& target : runnable_targets()) {
    const CompiledKernel kernel(program("kept_rows.tile"), target);
    for (const int64_t n : {1, 2048, 3000, 4096}) {
      std::vector<uint16_t> x(static_cast<size_t>(2 * n));
      std::vector<float> y(x.size(), -1), values;
      std::vector<scalar::Constant> constants;
      for (size_t i = 0; i < x.size(); ++i) {
        constants.push_back(scalar::constant_of(f32, static_cast<double>(i * 7919 % 1013) / 64 - 7));
        values.push_back(std::bit_cast<float>(static_cast<uint32_t>(constants.back().bits)));
        scalar::store_element(x.data() + i, f16, constants.back());
      }
      kernel(0, 2, x.data(), y.data(), n);
      for (int64_t r = 0; r < 2; ++r) {
        const std::vector<scalar::Constant> row(constants.begin() + r * n, constants.begin() + (r + 1) * n);
        const float sum =
            std::bit_cast<float>(static_cast<uint32_t>(loop::canonical_fold(scalar::ReduceKind::sum, f32, row).bits));
        for (int64_t i = r * n; i < (r + 1) * n; ++i)
          ASSERT_EQ(y[static_cast<size_t>(i)], values[static_cast<size_t>(i)] - sum) << n;
      }
    }
  }
}

// Programs in any order and on any thread: the last one of a row folds, and leaves the words as they were.
TEST(LlvmPrograms, FoldOverTheGrid) {
  for (const TargetOptions& target : runnable_targets()) {
    const CompiledKernel kernel(program("grid_sum.tile"), target);
    for (const int64_t n : {1, 1000, 1024, 1025, 5000, 300000}) {
      const int64_t matrices = n > 100000 ? 1 : 3, pieces = (n + 1023) / 1024, programs = matrices * pieces;
      const std::vector<float> x = random_floats(static_cast<size_t>(4 * matrices * n));
      const auto results = static_cast<size_t>(4 * matrices), of_pieces = static_cast<size_t>(4 * matrices * pieces);
      std::vector<float> sums(results, -1), largest(results, -1), work0(of_pieces, 7), work1(of_pieces, 7);
      std::vector<uint32_t> arrivals(static_cast<size_t>(matrices), 0);
      const auto run = [&](int64_t begin, int64_t end) {
        for (int64_t p = end; p-- > begin;)
          kernel(p, p + 1, x.data(), sums.data(), largest.data(), work0.data(), work1.data(), arrivals.data(), n);
      };
      std::thread other([&] { run(programs / 2, programs); });
      run(0, programs / 2);
      other.join();
      EXPECT_EQ(arrivals, std::vector<uint32_t>(static_cast<size_t>(matrices), 0));
      for (int64_t r = 0; r < 4 * matrices; ++r) {
        std::vector<scalar::Constant> column;
        for (int64_t i = 0; i < n; ++i)
          column.push_back(scalar::constant_of(f32, x[static_cast<size_t>((r / 4 * n + i) * 4 + r % 4)]));
        const auto folded = [&](scalar::ReduceKind kind) { return loop::canonical_fold(kind, f32, column).bits; };
        EXPECT_EQ(CompiledKernel::slot(sums[static_cast<size_t>(r)]), folded(scalar::ReduceKind::sum)) << n;
        EXPECT_EQ(CompiledKernel::slot(largest[static_cast<size_t>(r)]), folded(scalar::ReduceKind::amax)) << n;
      }
    }
  }
}

/// Reference of trans: element numbers by coordinates.
TEST(LlvmPrograms, TransOfEveryPermutation) {
  const std::vector<int32_t> dims{4, 2, 8, 16};
  std::vector<int> perm{0, 1, 2, 3};
  do {
    tile_ir::KernelBuilder b("trans");
    const int y = b.add_pointer("y", i32, {.written = true});
    const tile_ir::Type shape = tile_ir::Type::tile(i32, dims);
    const int32_t strides[] = {256, 128, 16, 1};
    Value number = b.constant(shape, 0);
    for (int d = 0; d < 4; ++d) number = b.add(number, b.mul(b.iota(d, shape), b.constant(i32, strides[d])));
    tile_ir::Access plain;
    plain.dims = {tile_ir::along(0, 1)};
    b.block_store(y, plain, b.reshape(b.trans(number, perm), {1024}));
    std::vector<int32_t> got(1024);
    CompiledKernel(b.finish())(0, 1, got.data());
    for (int32_t e = 0; e < 1024; ++e) {
      int32_t rest = e, source = 0;
      for (size_t d = 4; d-- > 0;) {
        const auto from = static_cast<size_t>(perm[d]);
        source += rest % dims[from] * strides[from];
        rest /= dims[from];
      }
      ASSERT_EQ(got[static_cast<size_t>(e)], source) << perm[0] << perm[1] << perm[2] << perm[3];
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(LlvmPrograms, BroadcastStretchesAnyDims) {
  for (int stretched = 0; stretched < 8; ++stretched) {
    const std::vector<int32_t> to{8, 4, 16};
    std::vector<int32_t> from = to;
    for (int d = 0; d < 3; ++d)
      if (stretched >> d & 1) from[static_cast<size_t>(d)] = 1;
    tile_ir::KernelBuilder b("broadcast");
    const int y = b.add_pointer("y", i32, {.written = true});
    const tile_ir::Type small = tile_ir::Type::tile(i32, from);
    Value v = b.constant(small, 0);
    const int32_t weight[] = {100, 10000, 1};
    for (int d = 0; d < 3; ++d) v = b.add(v, b.mul(b.iota(d, small), b.constant(i32, weight[d])));
    tile_ir::Access plain;
    plain.dims = {tile_ir::along(0, 1)};
    b.block_store(y, plain, b.reshape(b.broadcast(v, tile_ir::Type::tile(i32, to)), {512}));
    std::vector<int32_t> got(512);
    CompiledKernel(b.finish())(0, 1, got.data());
    for (int32_t e = 0; e < 512; ++e) {
      const int32_t k[] = {e / 64, e / 16 % 4, e % 16};
      int32_t expected = 0;
      for (int d = 0; d < 3; ++d) expected += stretched >> d & 1 ? 0 : k[d] * weight[d];
      ASSERT_EQ(got[static_cast<size_t>(e)], expected) << stretched;
    }
  }
}

/// Row sums by a loop over masked tiles with a carried tile; every second row is negated in an if.
tile_ir::Kernel row_sums() {
  tile_ir::KernelBuilder b("rows");
  const int x = b.add_pointer("x", f32), y = b.add_pointer("y", f32, {.written = true}), n = b.add_scalar("n", i64);
  const Value row = b.program_id(), columns = b.parameter(n), start = b.mul(row, columns), none = b.constant(f32, -0.0);
  const Value sums = b.broadcast(none, tile_ir::Type::tile(f32, {32}));
  const std::vector<Value> total =
      b.for_loop(b.literal(0), columns, b.literal(32), {sums}, [&](Value i, std::span<const Value> carried) {
        tile_ir::Access a;
        a.base = tile_ir::Index(start);
        a.dims = {tile_ir::along(i, 1, columns)};
        return std::vector<Value>{b.add(carried[0], b.block_load(x, a, {32}, 1, none))};
      });
  const Value sum = b.reduce(tile_ir::ReduceKind::sum, 0, total[0]);
  const std::vector<Value> result = b.if_then(
      b.eq(b.irem(row, b.literal(2)), b.literal(1)), [&] { return std::vector<Value>{b.neg(sum)}; },
      [&] { return std::vector<Value>{sum}; });
  tile_ir::Access one;
  one.base = tile_ir::Index(row);
  one.dims = {tile_ir::along(0, 1)};
  b.block_store(y, one, result[0]);
  return b.finish();
}

TEST(LlvmPrograms, LoopsCarryTilesAndIfsYield) {
  const CompiledKernel kernel(row_sums());
  for (const int64_t n : {0, 1, 31, 32, 33, 100}) {
    std::vector<float> x(static_cast<size_t>(5 * n)), y(5, 77);
    std::iota(x.begin(), x.end(), 1.0f);
    kernel(0, 5, x.data(), y.data(), n);
    for (int64_t r = 0; r < 5; ++r) {
      float sum = 0;
      for (int64_t c = 0; c < n; ++c) sum += x[static_cast<size_t>(r * n + c)];
      EXPECT_EQ(y[static_cast<size_t>(r)], r % 2 ? -sum : sum) << n;
    }
  }
}

TEST(LlvmPrograms, GatherAndScatterLeaveMaskedLanesAlone) {
  // y[index[i]] = x[index[i]] + 1 where index is in range; the others are not touched and read as 50
  tile_ir::KernelBuilder b("permute");
  const int x = b.add_pointer("x", u8), index = b.add_pointer("index", i64),
            y = b.add_pointer("y", u8, {.written = true});
  const int z = b.add_pointer("z", u8, {.written = true});
  tile_ir::Access plain;
  plain.dims = {tile_ir::along(0, 1)};
  const Value at = b.block_load(index, plain, {32}), zero = b.literal(0), extent = b.literal(100);
  const Value inside = b.bit_and(b.le(zero, at), b.lt(at, extent));
  const Value v = b.gather(x, at, inside, b.constant(u32, 50));
  b.block_store(z, plain, v);
  b.scatter(y, at, b.add(v, b.constant(u32, 1)), inside);
  const tile_ir::Kernel kernel = b.finish();
  std::mt19937_64 random(1);
  std::vector<uint8_t> in(100);
  std::iota(in.begin(), in.end(), uint8_t{0});
  std::vector<int64_t> where(32);
  for (int64_t& w : where) w = random() % 3 ? static_cast<int64_t>(random() % 100) : static_cast<int64_t>(random());
  for (const TargetOptions& target : runnable_targets()) {
    std::vector<uint8_t> out(100, 200), read(32), expected(100, 200);
    CompiledKernel(kernel, target)(0, 1, in.data(), where.data(), out.data(), read.data());
    for (size_t i = 0; i < 32; ++i) {
      const bool ok = where[i] >= 0 && where[i] < 100;
      EXPECT_EQ(read[i], ok ? where[i] : 50);
      if (ok) expected[static_cast<size_t>(where[i])] = static_cast<uint8_t>(where[i] + 1);
    }
    EXPECT_EQ(out, expected);
  }
}

TEST(LlvmPrograms, LanesThatMeetAccumulate) {
  tile_ir::KernelBuilder b("accumulate");
  const int index = b.add_pointer("index", i32), values = b.add_pointer("values", i64),
            sums = b.add_pointer("sums", i64, {.written = true}),
            least = b.add_pointer("least", i64, {.written = true}),
            most = b.add_pointer("most", u32, {.written = true});
  tile_ir::Access plain;
  plain.dims = {tile_ir::along(0, 1)};
  const Value at = b.block_load(index, plain, {32}), v = b.block_load(values, plain, {32});
  const Value inside = b.le(b.constant(i32, 0), at);
  b.scatter(sums, at, v, inside, tile_ir::ReduceKind::sum);
  b.scatter(least, at, v, inside, tile_ir::ReduceKind::amin);
  b.scatter(most, at, b.convert(v, u32), inside, tile_ir::ReduceKind::amax);
  const tile_ir::Kernel kernel = b.finish();
  std::vector<int32_t> where(32);
  std::vector<int64_t> in(32), expected_sums(5, 100), expected_least(5, 100);
  std::vector<uint32_t> expected_most(5, 1);
  for (size_t i = 0; i < in.size(); ++i) {
    where[i] = static_cast<int32_t>(i * 7 % 6) - 1;
    in[i] = static_cast<int64_t>(i * 37 % 64);
    if (where[i] < 0) continue;
    const auto w = static_cast<size_t>(where[i]);
    expected_sums[w] += in[i];
    expected_least[w] = std::min(expected_least[w], in[i]);
    expected_most[w] = std::max(expected_most[w], static_cast<uint32_t>(in[i]));
  }
  for (const TargetOptions& target : runnable_targets()) {
    std::vector<int64_t> got_sums(5, 100), got_least(5, 100);
    std::vector<uint32_t> got_most(5, 1);
    CompiledKernel(kernel, target)(0, 1, where.data(), in.data(), got_sums.data(), got_least.data(), got_most.data());
    EXPECT_EQ(got_sums, expected_sums);
    EXPECT_EQ(got_least, expected_least);
    EXPECT_EQ(got_most, expected_most);
  }
}

TEST(LlvmPrograms, FirstStatusStays) {
  tile_ir::KernelBuilder b("check");
  const int x = b.add_pointer("x", i32), status = b.add_pointer("status", u64, {.written = true});
  tile_ir::Access row;
  row.base = tile_ir::Index(b.mul(b.program_id(), b.literal(16)));
  row.dims = {tile_ir::along(0, 1)};
  const Value v = b.block_load(x, row, {16});
  b.status_check(status, b.eq(v, b.constant(i32, 7)), 0x700000007);
  b.status_check(status, b.eq(v, b.constant(i32, 9)), 0x900000009);
  const CompiledKernel kernel(b.finish());
  std::vector<int32_t> data(64, 1);
  uint64_t word = 0;
  kernel(0, 4, data.data(), &word);
  EXPECT_EQ(word, 0u);
  data[50] = 7;
  data[20] = 9;
  kernel(0, 4, data.data(), &word);
  EXPECT_EQ(word, 0x900000009u);
  kernel(3, 4, data.data(), &word);
  EXPECT_EQ(word, 0x900000009u);
}

/// y = rare(x > 100, x + 1, fmod(x, 7) * 2)
TEST(LlvmPrograms, RareLanesTakeTheSlowWay) {
  for (const int lanes : {32, 1024}) {
    tile_ir::KernelBuilder b("rare");
    const int x = b.add_pointer("x", f32), y = b.add_pointer("y", f32, {.written = true});
    tile_ir::Access plain;
    plain.dims = {tile_ir::along(b.mul(b.program_id(), b.literal(lanes)), 1)};
    const Value v = b.block_load(x, plain, {lanes});
    const Value slow = b.mul(b.fmod(v, b.constant(f32, 7)), b.constant(f32, 2));
    b.block_store(y, plain, b.rare(b.lt(b.constant(f32, 100), v), b.add(v, b.constant(f32, 1)), slow));
    const tile_ir::Kernel k = b.finish();
    const std::string ir = print_ir(k, host());
    EXPECT_NE(ir.find("branch_weights"), std::string::npos) << ir;
    const auto n = static_cast<size_t>(3 * lanes);
    std::vector<float> in(n, 3), out(n);
    for (size_t i = 40; i < n; i += i % 500 < 100 ? 3 : 100) in[i] = 101 + static_cast<float>(i);
    CompiledKernel{k}(0, 3, in.data(), out.data());
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], in[i] > 100 ? std::fmod(in[i], 7.0f) * 2 : in[i] + 1) << i;
  }
}

/// y = rare(2^60 < |x| or 0 < |x| < 2^-60 or not d <= 2^60, x, x < 0 ? 5 : 6): magnitudes are tested for the tile as a
/// whole, and only the lanes that are out of range take the slow way.
TEST(LlvmPrograms, RangeChecksChooseLaneByLane) {
  constexpr int lanes = 32;
  tile_ir::KernelBuilder b("range");
  const int x = b.add_pointer("x", f32), y = b.add_pointer("y", f32, {.written = true}), d = b.add_scalar("d", f32);
  tile_ir::Access plain;
  plain.dims = {tile_ir::along(b.mul(b.program_id(), b.literal(lanes)), 1)};
  const Value v = b.block_load(x, plain, {lanes}), magnitude = b.abs(v), zero = b.constant(f32, 0);
  const Value high = b.lt(b.constant(f32, 0x1p60), magnitude);
  const Value low = b.bit_and(b.lt(magnitude, b.constant(f32, 0x1p-60)), b.ne(v, zero));
  const Value unsafe = b.bit_not(b.le(b.parameter(d), b.constant(f32, 0x1p60)));
  const Value cond = b.bit_or(b.bit_or(high, low), unsafe);
  b.block_store(y, plain, b.rare(cond, v, b.select(b.lt(v, zero), b.constant(f32, 5), b.constant(f32, 6))));
  const tile_ir::Kernel k = b.finish();
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> special = {0,        0x1p-149f, 0x1p-61f, 0x1.fffffep-61f, 0x1p-60f, 0x1p60f, 0x1.000002p60f,
                                      infinity, nan,       7};
  for (const TargetOptions& target : runnable_targets()) {
    const CompiledKernel kernel(k, target);
    for (const float divisor : {2.0f, infinity, nan})
      for (const float magnitude_of : special)
        for (const float value : {magnitude_of, -magnitude_of})
          for (int lane = 0; lane < 2 * lanes; ++lane) {
            std::vector<float> in(lanes, 3), out(lanes);
            in[static_cast<size_t>(lane % lanes)] = value;
            if (lane >= lanes) in[static_cast<size_t>((lane + 5) % lanes)] = nan;  // hides no other lane
            kernel(0, 1, in.data(), out.data(), divisor);
            for (size_t i = 0; i < in.size(); ++i) {
              const float m = std::fabs(in[i]);
              const bool slow = m > 0x1p60f || (m < 0x1p-60f && in[i] != 0) || !(divisor <= 0x1p60f);
              const float expected = slow ? (in[i] < 0 ? 5.0f : 6.0f) : in[i];
              ASSERT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected))) << in[i] << " lane " << i;
            }
          }
  }
}

/// Fibonacci numbers by element: large tiles change places in a loop, and an if picks one of two at its end.
TEST(LlvmPrograms, LargeTilesAreCarriedAndChosen) {
  for (const int64_t steps : {0, 1, 2, 9}) {
    tile_ir::KernelBuilder b("fibonacci");
    const int x = b.add_pointer("x", i32), y = b.add_pointer("y", i32, {.written = true}), n = b.add_scalar("n", i64);
    tile_ir::Access plain;
    plain.dims = {tile_ir::along(0, 1)};
    const Value first = b.block_load(x, plain, {512}), second = b.add(first, b.constant(i32, 1)),
                extent = b.parameter(n);
    const std::vector<Value> last =
        b.for_loop(b.literal(0), extent, b.literal(1), {first, second},
                   [&](Value, std::span<const Value> c) { return std::vector<Value>{c[1], b.add(c[0], c[1])}; });
    const std::vector<Value> chosen = b.if_then(
        b.lt(extent, b.literal(5)), [&] { return std::vector<Value>{last[0]}; },
        [&] { return std::vector<Value>{b.neg(last[1])}; });
    b.block_store(y, plain, chosen[0]);
    std::vector<int32_t> in(512), out(512);
    std::iota(in.begin(), in.end(), -100);
    CompiledKernel(b.finish())(0, 1, in.data(), out.data(), steps);
    for (size_t i = 0; i < in.size(); ++i) {
      int32_t p = in[i], q = p + 1;
      for (int64_t s = 0; s < steps; ++s) p = std::exchange(q, p + q);
      ASSERT_EQ(out[i], steps < 5 ? p : -q) << steps;
    }
  }
}

/// A large tile is read whole before an overlapping one is written, whatever the windows.
TEST(LlvmPrograms, LargeTilesInPlace) {
  for (const bool reversed : {false, true}) {
    tile_ir::KernelBuilder b("in_place");
    const int x = b.add_pointer("x", f32, {.written = true, .no_alias = false});
    tile_ir::Access there, back;
    there.dims = {tile_ir::along(0, 1)};
    back.dims = {tile_ir::along(0, -1)};
    back.base = tile_ir::Index(1023);
    b.block_store(x, reversed ? back : there, b.add(b.block_load(x, there, {1024}), b.constant(f32, 1)));
    std::vector<float> data(1024);
    std::iota(data.begin(), data.end(), 0.0f);
    CompiledKernel(b.finish())(0, 1, data.data());
    for (size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], static_cast<float>(reversed ? 1024 - i : i + 1));
  }
}

/// x - mean over the columns or rows of f32[32x64]: broadcasts from memory along either dim.
TEST(LlvmPrograms, LargeTilesBroadcastAlongEitherDim) {
  const std::vector<float> x = random_floats(2048);
  for (const TargetOptions& target : runnable_targets()) {
    for (const int dim : {0, 1}) {
      tile_ir::KernelBuilder b("centre");
      const int in = b.add_pointer("x", f32), out = b.add_pointer("y", f32, {.written = true});
      tile_ir::Access plain;
      plain.dims = {tile_ir::along(0, 64), tile_ir::along(0, 1)};
      const Value v = b.block_load(in, plain, {32, 64});
      b.block_store(out, plain, b.sub(v, b.reduce(tile_ir::ReduceKind::amax, dim, v)));
      std::vector<float> y(2048);
      CompiledKernel(b.finish(), target)(0, 1, x.data(), y.data());
      for (size_t r = 0; r < 32; ++r)
        for (size_t c = 0; c < 64; ++c) {
          float largest = x[r * 64 + c];
          for (size_t k = 0; k < (dim ? 64 : 32); ++k) largest = std::max(largest, dim ? x[r * 64 + k] : x[k * 64 + c]);
          ASSERT_EQ(y[r * 64 + c], x[r * 64 + c] - largest) << dim << " " << r << " " << c;
        }
    }
  }
}

TEST(LlvmPrograms, TooLargeTilesAreRefused) {
  tile_ir::KernelBuilder b("huge");
  const int x = b.add_pointer("x", f32, {.written = true});
  tile_ir::Access plain;
  plain.dims = {tile_ir::along(0, 1)};
  const Value v = b.block_load(x, plain, {1 << 19});
  b.block_store(x, plain, b.add(v, b.reduce(tile_ir::ReduceKind::sum, 0, v)));
  try {
    compile(b.finish(), host());
    ADD_FAILURE() << "accepted";
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find("stack"), std::string::npos) << e.what();
  }
}

std::vector<std::string> undefined_symbols(const std::vector<std::byte>& object) {
  const auto* elf = reinterpret_cast<const Elf64_Ehdr*>(object.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(object.data() + elf->e_shoff);
  std::vector<std::string> names;
  for (int s = 0; s < elf->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(object.data() + sections[s].sh_offset);
    const auto* text = reinterpret_cast<const char*>(object.data() + sections[sections[s].sh_link].sh_offset);
    for (size_t i = 1; i < sections[s].sh_size / sizeof(Elf64_Sym); ++i)
      if (symbols[i].st_shndx == SHN_UNDEF) names.emplace_back(text + symbols[i].st_name);
  }
  return names;
}

TEST(LlvmPrograms, OnlyF64NeedsTheCLibrary) {
  for (const TargetOptions& target : runnable_targets()) {
    for (int k = 0; k < scalar::scalar_op_count; ++k) {
      const auto op = static_cast<scalar::ScalarOp>(k);
      const scalar::ScalarOpInfo& row = scalar::info(op);
      for (const DType t : {f32, f64}) {
        std::vector<DType> types(static_cast<size_t>(row.arity), t);
        if (row.rule == scalar::ScalarRule::select) types[0] = boolean;
        const DType attribute = row.rule == scalar::ScalarRule::bitcast ? (t == f32 ? u32 : u64) : t == f32 ? f16 : t;
        if (!scalar::result_type(op, types, attribute)) continue;
        tile_ir::KernelBuilder b("k");
        std::vector<Value> x;
        tile_ir::Access plain;
        plain.dims = {tile_ir::along(0, 1)};
        for (size_t i = 0; i < types.size(); ++i)
          x.push_back(b.block_load(b.add_pointer("x" + std::to_string(i), types[i]), plain, {16}));
        const Value v = b.scalar(op, x, attribute);
        b.block_store(b.add_pointer("y", b.type(v).dtype, {.written = true}), plain, v);
        const std::vector<std::string> needs = undefined_symbols(compile(b.finish(), target));
        const bool calls = row.classes == scalar::D || (op == scalar::ScalarOp::fmod && t == f64);
        EXPECT_EQ(needs.size(), calls ? 1u : 0u)
            << row.name << " " << t.name() << " needs " << (needs.empty() ? "" : needs[0]);
      }
    }
  }
}

TEST(LlvmPrograms, TwoThreadsCompileAndRun) {
  const tile_ir::Kernel kernel = row_sums();
  std::vector<float> x(64 * 100, 1), y(64);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat)
        CompiledKernel{kernel}(t * 32, t * 32 + 32, x.data(), y.data(), int64_t{100});
    });
  for (std::thread& t : threads) t.join();
  for (size_t r = 0; r < y.size(); ++r) EXPECT_EQ(y[r], r % 2 ? -100 : 100);
}

TEST(LlvmPrograms, TheModuleCompilesTheSameObject) {
  const BackendTable& table = open_backend(SINTER_LLVM_MODULE);
  EXPECT_EQ(compile_through(table, row_sums(), host()), compile(row_sums(), host()));
  EXPECT_EQ(std::string(table.version).substr(0, 5), "LLVM ");
  EXPECT_THROW(compile_through(table, row_sums(), {"sparc", 128}), CompileError);
}

}  // namespace
}  // namespace sinter::llvm_codegen
