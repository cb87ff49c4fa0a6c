// SPDX-License-Identifier: Apache-2.0
// Rows that are read once and kept: the same bits as the reference's, and as those of rows that are read again.
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "codegen/schedule/schedule.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/lower/build.h"
#include "tests/lower/random_graph.h"
#include "tests/schedule/instructions.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::Value;
using MakeRows = std::function<std::vector<Value>(GraphBuilder&, Value)>;

class ResidentRows : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }

  static GraphBuilder graph_of(DType dtype, const Dims& shape, const MakeRows& make) {
    GraphBuilder b;
    const Value x = b.input(dtype, {shape.begin(), shape.end()});
    for (Value v : make(b, x)) b.g.add_output(v);
    return b;
  }

  static void check(DType dtype, const Dims& shape, const MakeRows& make) {
    const GraphBuilder b = graph_of(dtype, shape, make);
    const std::vector<reference::Array> inputs = {random_values(dtype, shape, 11)};
    const auto expected = reference::interpret(b.g, inputs);
    const auto got = run_on(Device::cuda(0), b.g, inputs);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(first_difference(expected[i], got[i]), "") << shape.text() << ", output " << i << graph::print(b.g);
  }

  /// What the schedule prefers on a machine with 227 KiB a block.
  static tile_ir::Kernel preferred(DType dtype, const Dims& shape, const MakeRows& make, int32_t cluster = 8,
                                   bool bulk_copies = false, const lower::Options& options = {}) {
    const loop::Program p = lowered(graph_of(dtype, shape, make).g, options);
    EXPECT_EQ(p.groups.size(), 1u);
    return schedule::schedule(
               p, p.groups[0],
               {.cuda = true, .shared_bytes = 227 << 10, .cluster = cluster, .bulk_copies = bulk_copies})[0]()
        .kernel;
  }
};

std::vector<Value> softmax_rows(GraphBuilder& b, Value x) { return {b.softmax(x)}; }

std::vector<Value> moments_of_rows(GraphBuilder& b, Value x) {
  const Value mean = b.reduce("mean", x, {-1}, true), d = b.binary("sub", x, mean);
  return {mean, b.reduce("mean", b.binary("mul", d, d), {-1}), b.reduce("amax", x, {-1})};
}

// What is stored along the row is in the same kernel where rows have at most 2^14 elements, or are many.
TEST_F(ResidentRows, GiveTheReferencesBits) {
  check(f64, {2, 9001}, softmax_rows);
  check(f32, {2, 16384}, softmax_rows);
  check(bf16, {1, 50257}, softmax_rows);
  check(f32, {2, 20480}, moments_of_rows);
  check(f16, {2, 16963}, moments_of_rows);  // shorter, staged since nothing is stored along it
  check(u8, {1, 70001}, [](GraphBuilder& b, Value x) {
    const Value wide = b.to(x, f32);
    return std::vector{b.binary("sub", wide, b.reduce("mean", wide, {-1}, true))};
  });
}

// A row over two programs, the second with less; over eight, of which three have nothing.
TEST_F(ResidentRows, AreSpreadOverClusters) {
  check(f64, {2, 15001}, softmax_rows);
  check(f64, {1, 16384}, moments_of_rows);
  check(i64, {1, 16001}, [](GraphBuilder& b, Value x) {
    return std::vector{b.binary("sub", x, b.reduce("amax", x, {-1}, true)), b.reduce("sum", x, {-1})};
  });
  check(bf16, {1, 150000}, softmax_rows);
}

// Five programs of one tile; three of three, which are no subtree of the canonical order.
TEST_F(ResidentRows, MeetTileByTile) {
  check(f64, {3, 33001}, moments_of_rows);
  check(f32, {4, 65537}, moments_of_rows);
}

// Of few rows each has as many programs as there are processors for it, or its stages are better kernels of their own.
TEST_F(ResidentRows, AreSpreadOverProcessorsWhereTheyAreFew) {
  const std::tuple<int64_t, int64_t, int32_t> cases[] = {
      {1, 50257, 8}, {16, 131072, 8}, {2, 300001, 8}, {33, 50257, 4}, {66, 50257, 1}, {67, 50257, 1}, {132, 300001, 8}};
  for (const auto& [rows, n, cluster] : cases) {
    const tile_ir::Kernel k = preferred(bf16, {rows, n}, softmax_rows, 8, false, {.many_rows = 0});
    EXPECT_EQ(k.cluster, cluster) << rows << " x " << n;
    EXPECT_GT(count_instructions(k.body, tile_ir::Op::keep), 0) << rows << " x " << n;
  }
  const schedule::Target h200{.cuda = true, .shared_bytes = 227 << 10, .cluster = 8};
  const auto idles = [&](int64_t rows, int64_t n, const MakeRows& make) {
    const loop::Program p = lowered(graph_of(f32, {rows, n}, make).g, {.many_rows = 0});
    EXPECT_EQ(p.groups.size(), 1u);
    return schedule::leaves_processors_idle(p, p.groups[0].nests[0], h200);
  };
  EXPECT_FALSE(idles(2, 100001, softmax_rows));
  EXPECT_TRUE(idles(2, 300001, softmax_rows));
  EXPECT_FALSE(idles(132, 300001, softmax_rows));
  EXPECT_FALSE(idles(2, 300001, [](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, {-1})}; }));
}

// Loads are read in the first pass, and recalled in the others.
TEST_F(ResidentRows, AreReadOnce) {
  for (int64_t n : {32768, 131072}) {
    const tile_ir::Kernel k = preferred(bf16, {4096, n}, softmax_rows);
    EXPECT_EQ(k.cluster, n == 32768 ? 1 : 8);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::block_load), 1) << print(k);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::keep), 1);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::recall), 2);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::cluster_reduce), n == 32768 ? 0 : 2);
  }
}

// Nothing is kept where bulk copies bring a row: all passes read it, in as many pieces as there are tiles.
TEST_F(ResidentRows, AreStagedByBulkCopies) {
  for (const auto& [n, pieces] : {std::pair<int64_t, int64_t>{32768, 4}, {50257, 4}, {57343, 4}}) {
    const tile_ir::Kernel k = preferred(bf16, {4096, n}, softmax_rows, 8, true);
    EXPECT_EQ(k.cluster, 1);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::keep), 0) << print(k);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::recall), 0);
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::block_load), n == 32768 ? 3 : 6) << print(k);
    for (const tile_ir::Instruction& in : k.body.body)
      if (in.op == tile_ir::Op::stage) {
        EXPECT_EQ(in.run->most, n);
        EXPECT_EQ(in.run->pieces(), pieces);
      }
    EXPECT_EQ(count_instructions(k.body, tile_ir::Op::stage), 1);
  }
  // Of rows that begin at any address shorter ones, if they are folded only.
  const auto variance = [](GraphBuilder& b, Value x) { return std::vector{moments_of_rows(b, x)[1]}; };
  for (const auto& [n, staged] : {std::pair<int64_t, size_t>{16963, 1}, {16960, 0}, {15359, 0}})
    EXPECT_EQ(count_instructions(preferred(bf16, {4096, n}, variance, 8, true).body, tile_ir::Op::stage), staged) << n;
  EXPECT_EQ(count_instructions(preferred(bf16, {4096, 16963}, softmax_rows, 8, true).body, tile_ir::Op::stage), 0);
  // Rows over several programs are kept as they are read.
  const tile_ir::Kernel spread = preferred(bf16, {4096, 131072}, softmax_rows, 8, true);
  EXPECT_EQ(count_instructions(spread.body, tile_ir::Op::stage), 0);
  EXPECT_EQ(count_instructions(spread.body, tile_ir::Op::keep), 1);
}

// Two rows, of different types and at different distances from a vector's boundary.
TEST_F(ResidentRows, SeveralAreStagedTogether) {
  const auto scaled = [](GraphBuilder& b, Value x) {
    const Value w = b.input(f32, {2, 16411});
    const Value p = b.binary("mul", b.to(x, f32), w);
    return std::vector{b.binary("sub", p, b.reduce("amax", p, {-1}, true)), b.reduce("sum", p, {-1})};
  };
  const GraphBuilder b = graph_of(f16, {2, 16411}, scaled);
  const std::vector<reference::Array> inputs = {random_values(f16, {2, 16411}, 3), random_values(f32, {2, 16411}, 4)};
  const auto expected = reference::interpret(b.g, inputs), got = run_on(Device::cuda(0), b.g, inputs);
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(first_difference(expected[i], got[i]), "") << i;
}

TEST_F(ResidentRows, TakeAsManyProgramsAsTheyNeed) {
  const std::pair<int64_t, int32_t> clusters[] = {{32769, 1}, {57344, 1},  {57345, 4},  {65536, 4},
                                                  {65537, 3}, {131072, 8}, {300001, 8}, {524288, 8}};
  for (const auto& [n, cluster] : clusters) {
    const tile_ir::Kernel k = preferred(bf16, {4096, n}, softmax_rows);
    EXPECT_EQ(k.cluster, cluster) << n;
    EXPECT_GT(count_instructions(k.body, tile_ir::Op::keep), 0) << n;
  }
  // Read again: longer than a cluster holds, without clusters, short enough for registers, once anyhow.
  const auto sum = [](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, {-1})}; };
  EXPECT_EQ(count_instructions(preferred(bf16, {4096, 1000001}, softmax_rows).body, tile_ir::Op::keep), 0);
  EXPECT_EQ(count_instructions(preferred(bf16, {4096, 60000}, softmax_rows, 1).body, tile_ir::Op::keep), 0);
  EXPECT_EQ(count_instructions(preferred(bf16, {4096, 31000}, softmax_rows).body, tile_ir::Op::keep), 0);
  EXPECT_EQ(count_instructions(preferred(bf16, {4096, 50257}, sum).body, tile_ir::Op::keep), 0);
}

}  // namespace
}  // namespace sinter::test
