// SPDX-License-Identifier: Apache-2.0
// Several nests as one kernel: how a program finds its nest, and that joins and pads give the reference's bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/schedule/schedule.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/lower/join_cases.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::Expr;
using graph::Value;
using schedule::ScheduledKernel;
using schedule::Target;

class BoxKernels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }
  static std::vector<ScheduledKernel> candidates(const graph::Graph& g, const Target& target) {
    const loop::Program p = lowered(g);
    EXPECT_EQ(p.groups.size(), 1u);
    std::vector<ScheduledKernel> kernels;
    for (const schedule::Candidate& c : schedule::schedule(p, p.groups[0], target)) kernels.push_back(c());
    return kernels;
  }
  static constexpr Target h200{.cuda = true, .processors = 132};
  static constexpr Target avx512{.vector_bits = 512, .processors = 2};
};

/// Depth of nested ifs, and how many regions have no if: the nests.
std::pair<int, int> tree(const tile_ir::Region& r) {
  int depth = 0, leaves = 0;
  for (const tile_ir::Instruction& i : r.body)
    if (i.op == tile_ir::Op::if_then)
      for (const tile_ir::Region& inner : i.regions) {
        const auto [d, n] = tree(inner);
        depth = std::max(depth, d + 1);
        leaves += n;
      }
  return {depth, std::max(leaves, 1)};
}

TEST_F(BoxKernels, ProgramsFindTheirNestInABalancedTree) {
  for (const size_t n : {2, 3, 8, 13}) {
    GraphBuilder b;
    std::vector<Value> operands;
    for (size_t i = 0; i < n; ++i) operands.push_back(b.input(f32, {1 << 20}));
    b.g.add_output(cat(b, operands, 0));
    for (const Target& t : {h200, avx512}) {
      const auto k = candidates(b.g, t);
      const auto [depth, leaves] = tree(k[0].kernel.body);
      EXPECT_EQ(leaves, static_cast<int>(n));
      EXPECT_EQ(depth, std::bit_width(n - 1));
      EXPECT_EQ(k[0].sources.size(), n + 1) << "pointers alone: everything else is a literal";
      ASSERT_TRUE(k[0].cost);
      EXPECT_EQ(k[0].cost->bytes, static_cast<int64_t>(n) * (8 << 20));
      EXPECT_EQ(*k[0].grid.constant() * k[0].elements_per_program, static_cast<int64_t>(n) << 20);
    }
  }
}

TEST_F(BoxKernels, NestsShareParameters) {
  GraphBuilder b;
  b.g.set_symbol_count(2);
  for (int s = 0; s < 2; ++s) b.g.ranges.set_symbol(s, 2, graph::max_extent);
  const Value x = b.input(f32, {Expr::symbol(0), Expr::symbol(1)});
  b.g.add_output(cat(b, {x, x, x}, 0));
  const auto k = candidates(b.g, avx512);
  // out0, in0, s0*s1, 2*s0*s1 and the numbers of programs before the second and the third nest.
  EXPECT_EQ(k[0].sources.size(), 6u) << tile_ir::print(k[0].kernel);
}

TEST_F(BoxKernels, NestsWithFewerCandidatesKeepTheirLast) {
  GraphBuilder b;  // a large copy has two tilings; the margins have one
  b.g.add_output(pad(b, b.input(f16, {1 << 24}), {40, 40}, 0));
  const auto k = candidates(b.g, h200);
  ASSERT_EQ(k.size(), 2u);
  EXPECT_LT(*k[0].grid.constant(), *k[1].grid.constant());
  EXPECT_EQ(k[0].kernel.num_warps, k[1].kernel.num_warps);
}

TEST_F(BoxKernels, EachBoxHasTheWidthOfItsOwnOffsets) {
  // The second operand is stored at an odd offset; the others in vectors.
  GraphBuilder b;
  b.g.add_output(cat(b, {b.input(f32, {1 << 20}), b.input(f32, {(1 << 20) + 1}), b.input(f32, {1 << 20})}, 0));
  const std::string text = tile_ir::print(candidates(b.g, h200)[0].kernel);
  EXPECT_EQ(text.find("gather"), std::string::npos) << text;
  EXPECT_NE(text.find("@out0 + 1048576 "), std::string::npos) << text;
  EXPECT_NE(text.find("@out0 + 2097153 "), std::string::npos) << text;
}

class Joins : public BoxKernels {};

TEST_F(Joins, GiveTheReferenceBits) {
  for (const JoinCase& c : join_cases()) {
    const graph::Graph literal = c.literal();
    const auto inputs = c.inputs();
    const auto expected = reference::interpret(literal, inputs);
    std::vector<int64_t> symbols;
    const graph::Graph symbolic = c.symbolic(symbols);
    const auto compare = [&](Device device, const graph::Graph& g, bool aligned) {
      const auto got = run_on(device, g, inputs, {.aligned = aligned}, symbols);
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(first_difference(expected[i], got[i]), "")
            << c.name << (&g == &symbolic ? ", symbolic" : "") << ", output " << i << " on " << device.text();
    };
    for (const graph::Graph* g : {&literal, &symbolic})
      for (const bool aligned : {true, false}) {
        compare(Device::cpu(), *g, aligned);
        // The emulator compiles each text: aligned literal extents, symbolic ones without alignment.
        if (aligned == (g == &literal)) compare(Device::cuda(0), *g, aligned);
      }
  }
}

}  // namespace
}  // namespace sinter::test
