// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Value;

int count(const loop::Nest& n, loop::InstructionKind kind) {
  return static_cast<int>(std::ranges::count(n.body.instructions(), kind, &loop::Instruction::kind));
}

void expect_reference(const GraphBuilder& b, const std::vector<reference::Array>& inputs) {
  const auto expected = reference::interpret(b.g, inputs);
  for (const lower::Options& o :
       {lower::Options{}, lower::Options{.several_outputs = false}, lower::Options{.fuse = false}})
    for (bool collapsed : {false, true}) {
      const auto got = run(lowered(b.g, o, collapsed), b.g, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(first_difference(expected[i], got[i]), "") << "output " << i;
    }
}

class Fusion : public testing::Test {
 protected:
  void SetUp() override { ops::register_all_ops(); }
};

TEST_F(Fusion, ChainIsOneFlatNest) {
  GraphBuilder b;
  const Value x = b.input(f16, {7, 3, 5});
  b.g.add_output(b.with_number("mul", b.unary("relu", b.with_number("add", x, 1)), 2));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  const loop::Nest& n = p.groups[0].nests[0];
  EXPECT_EQ(n.axes, (std::vector<loop::Axis>{{105, false}}));
  EXPECT_EQ(count(n, loop::InstructionKind::load), 1);
  // add rounds; max of a rounded value and 0 is rounded already; mul rounds.
  EXPECT_EQ(std::ranges::count(n.body.instructions(), scalar::ScalarOp::round_to, &loop::Instruction::op), 2);
  EXPECT_EQ(lowered(b.g, {.fuse = false}).groups.size(), 3u);
  const auto unrounded = lowered(b.g, {.round_each_op = false});
  EXPECT_EQ(std::ranges::count(unrounded.groups[0].nests[0].body.instructions(), scalar::ScalarOp::round_to,
                               &loop::Instruction::op),
            1);
  expect_reference(b, {random_values(f16, {7, 3, 5}, 1)});
}

TEST_F(Fusion, SymbolicChainIsOneFlatNest) {
  GraphBuilder b;
  b.g.set_symbol_count(2);
  b.g.ranges.set_symbol(0, 2, 1 << 20);
  b.g.ranges.set_symbol(1, 2, 1 << 20);
  const Expr n = Expr::symbol(0), m = Expr::symbol(1);
  const Value x = b.input(f32, {n, m}), y = b.input(f32, {n, m});
  b.g.add_output(b.binary("mul", b.binary("add", x, y), x));
  const loop::Program p = lowered(b.g);
  EXPECT_EQ(p.groups[0].nests[0].axes, (std::vector<loop::Axis>{{n * m, false}}));
}

TEST_F(Fusion, SoftmaxIsOneNestWithTwoFolds) {
  GraphBuilder b;
  const Value x = b.input(f32, {6, 300});
  b.g.add_output(b.softmax(x));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  const loop::Nest& n = p.groups[0].nests[0];
  EXPECT_EQ(n.axes, (std::vector<loop::Axis>{{6, false}, {300, true}}));
  EXPECT_EQ(count(n, loop::InstructionKind::reduce), 2);
  EXPECT_EQ(count(n, loop::InstructionKind::load), 1);
  expect_reference(b, {random_values(f32, {6, 300}, 2)});
}

TEST_F(Fusion, ResidualAddWithRmsNormIsOneNestWithTwoOutputs) {
  GraphBuilder b;
  const Value x = b.input(bf16, {5, 64}), r = b.input(bf16, {5, 64}), w = b.input(bf16, {64});
  const Value sum = b.binary("add", x, r), wide = b.to(sum, f32);
  const Value mean = b.reduce("mean", b.binary("mul", wide, wide), {-1}, true);
  const Value scale = b.unary("rsqrt", b.with_number("add", mean, 1e-6));
  b.g.add_output(sum);
  b.g.add_output(b.binary("mul", b.to(b.binary("mul", wide, scale), bf16), w));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u) << loop::print(p);
  EXPECT_EQ(p.groups[0].nests[0].stores.size(), 2u);
  EXPECT_EQ(count(p.groups[0].nests[0], loop::InstructionKind::reduce), 1);
  expect_reference(b, {random_values(bf16, {5, 64}, 1), random_values(bf16, {5, 64}, 2), random_values(bf16, {64}, 3)});
}

TEST_F(Fusion, SeveralFoldsOfOneInputShareANest) {
  GraphBuilder b;
  const Value x = b.input(f32, {9, 70});
  for (const char* kind : {"sum", "amax", "amin", "mean"}) b.g.add_output(b.reduce(kind, x, {1}));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u) << loop::print(p);
  EXPECT_EQ(count(p.groups[0].nests[0], loop::InstructionKind::load), 1);
  EXPECT_EQ(lowered(b.g, {.several_outputs = false}).groups.size(), 4u);
  expect_reference(b, {random_values(f32, {9, 70}, 4)});
}

TEST_F(Fusion, FoldOverOtherExtentsGetsMemory) {
  GraphBuilder b;
  const Value x = b.input(f32, {8, 10}), y = b.input(f32, {8, 12});
  b.g.add_output(b.binary("add", b.reduce("sum", x, {1}), b.reduce("sum", y, {1})));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);
  expect_reference(b, {random_values(f32, {8, 10}, 4), random_values(f32, {8, 12}, 5)});
}

TEST_F(Fusion, ColumnStatisticsAppliedToRowsAreTwoKernels) {
  GraphBuilder b;
  const Value x = b.input(f32, {40, 10});
  b.g.add_output(b.binary("sub", x, b.reduce("mean", x, {0}, true)));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);
  expect_reference(b, {random_values(f32, {40, 10}, 4)});
}

// One program a row would leave the machine idle, so each stage is a kernel that can be split.
TEST_F(Fusion, StagesOfFewLongRowsAreKernelsOfTheirOwn) {
  GraphBuilder b;
  const Value x = b.input(f32, {2, 20000});
  const Value mean = b.reduce("mean", x, {1}, true), d = b.binary("sub", x, mean);
  b.g.add_output(b.reduce("mean", b.binary("mul", d, d), {1}));
  b.g.add_output(mean);
  b.g.add_output(b.reduce("amax", x, {1}));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);  // the maximum is in one of them
  EXPECT_EQ(lowered(b.g, {.many_rows = 2}).groups.size(), 1u);
  expect_reference(b, {random_values(f32, {2, 20000}, 4)});

  GraphBuilder s;
  s.g.add_output(s.softmax(s.input(f32, {2, 20000})));
  EXPECT_EQ(lowered(s.g).groups.size(), 3u);
  EXPECT_EQ(lowered(s.g, {.many_rows = 0}).groups.size(), 1u);
  expect_reference(s, {random_values(f32, {2, 20000}, 5)});
}

TEST_F(Fusion, StoreAndReadAtUnequalAddressesAreTwoKernels) {
  GraphBuilder b;
  const Value x = b.input(f32, {6, 6}), y = b.unary("exp", x);
  b.g.add_output(y);
  b.g.add_output(b.binary("add", b.permute(y, {1, 0}), x));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 2u);
  const auto& notes = p.groups[0].notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& n) {
    return n.find("is stored at [a0, a1], but read at [a1, a0]") != std::string::npos;
  })) << loop::print(p);
  expect_reference(b, {random_values(f32, {6, 6}, 4)});
}

TEST_F(Fusion, DependenceThroughAThirdKernelForbidsMerging) {
  // z and x + 1 read x over one space, but z needs the column sum of x + 1.
  GraphBuilder b;
  const Value x = b.input(f32, {33, 8}), y = b.with_number("add", x, 1);
  const Value column = b.reduce("sum", y, {0}, true);
  b.g.add_output(y);
  b.g.add_output(b.binary("mul", y, column));
  const loop::Program p = lowered(b.g);
  expect_reference(b, {random_values(f32, {33, 8}, 4)});
  EXPECT_GE(p.groups.size(), 2u);
}

TEST_F(Fusion, ExpensiveProducerReadAtManyAddressesIsStored) {
  GraphBuilder cheap, dear;
  for (GraphBuilder* b : {&cheap, &dear}) {
    const Value x = b->input(f32, {16});
    const Value y = b == &cheap ? b->with_number("mul", x, 2) : b->unary("erf", x);
    const Value parts[] = {b->op("slice", {y}, CallAttributes().integer(0).integer(1).flag(true).extent(0).extent(14)),
                           b->op("slice", {y}, CallAttributes().integer(0).integer(1).flag(true).extent(2).extent(16))};
    b->g.add_output(b->binary("add", parts[0], parts[1]));
  }
  EXPECT_EQ(lowered(cheap.g).groups.size(), 1u);
  const loop::Program p = lowered(dear.g);
  ASSERT_EQ(p.groups.size(), 2u);
  EXPECT_NE(p.groups[0].notes[0].find("dearer than memory"), std::string::npos) << p.groups[0].notes[0];
}

TEST_F(Fusion, NodesThatTwoKernelsWouldComputeAreStored) {
  // erf feeds a row sum and a column sum: no common space, and too dear to compute twice.
  GraphBuilder b;
  const Value x = b.input(f32, {24, 18}), y = b.unary("erf", x);
  b.g.add_output(b.reduce("sum", y, {0}));
  b.g.add_output(b.reduce("sum", y, {1}));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 2u) << loop::print(p);
  // The row sum needs the same axes as erf itself, so it joins the kernel that stores it.
  EXPECT_EQ(p.groups[0].nests[0].stores.size(), 2u) << loop::print(p);
  expect_reference(b, {random_values(f32, {24, 18}, 7)});
}

TEST_F(Fusion, OutputsThatAreInputsOrViewsAliasAndOthersAreCopied) {
  GraphBuilder b;
  const Value x = b.input(f32, {4, 6});
  b.g.add_output(x);
  b.g.add_output(b.permute(x, {1, 0}));
  b.g.add_output(b.op("flip", {x}, CallAttributes().integers({1})));
  const Value y = b.unary("neg", x);
  b.g.add_output(y);
  b.g.add_output(y);
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.aliases.size(), 2u);
  EXPECT_EQ(p.aliases[1].strides, (std::vector<Expr>{1, 6}));
  expect_reference(b, {random_values(f32, {4, 6}, 4)});
}

TEST_F(Fusion, ReshapesReadThroughCancel) {
  GraphBuilder b;
  const Value x = b.input(f32, {6, 4}), y = b.input(f32, {3, 8});
  b.g.add_output(b.binary("add", b.reshape(b.unary("neg", x), {3, 8}), y));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  EXPECT_EQ(p.groups[0].nests[0].axes, (std::vector<loop::Axis>{{24, false}})) << loop::print(p);
}

TEST_F(Fusion, PixelsToPlanesHaveTwoAxes) {
  GraphBuilder b;
  const Value frame = b.input(u8, {20, 30, 3});
  b.g.add_output(b.with_number("div", b.to(b.permute(frame, {2, 0, 1}), f32), 255));
  const loop::Program p = lowered(b.g);
  EXPECT_EQ(p.groups[0].nests[0].axes, (std::vector<loop::Axis>{{3, false}, {600, false}})) << loop::print(p);
}

TEST_F(Fusion, RowSumsOfALongTensorDoNotRunInOneProgram) {
  GraphBuilder b;
  const Value x = b.input(f32, {1 << 20});
  b.g.add_output(b.binary("div", x, b.reduce("sum", x, {0})));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);
}

double milliseconds(const graph::Graph& g) {
  const auto start = std::chrono::steady_clock::now();
  const loop::Program p = lower::lower(g, {});
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

TEST_F(Fusion, DeepChainsAndDiamondsTakeNearLinearTime) {
  const auto chain = [](int n) {
    GraphBuilder b;
    Value x = b.input(f32, {64});
    for (int i = 0; i < n; ++i) x = b.with_number(i % 2 ? "add" : "mul", x, 1.5);
    b.g.add_output(x);
    return b.g;
  };
  const auto diamonds = [](int n) {
    GraphBuilder b;
    Value x = b.input(f32, {64});
    for (int i = 0; i < n; ++i) x = b.binary("add", b.with_number("mul", x, 0.5), b.unary("neg", x));
    b.g.add_output(x);
    return b.g;
  };
  const auto sums = [](int n) {
    GraphBuilder b;
    Value x = b.input(f32, {64});
    for (int i = 0; i < n; ++i) x = b.binary("add", x, b.input(f32, {64}));
    b.g.add_output(x);
    return b.g;
  };
  for (const auto& make : {std::function<graph::Graph(int)>(chain), std::function<graph::Graph(int)>(diamonds),
                           std::function<graph::Graph(int)>(sums)}) {
    const graph::Graph small = make(500), large = make(5000);
    milliseconds(small);
    const double a = milliseconds(small), b = milliseconds(large);
    EXPECT_LT(b, 40 * a + 50) << a << " ms for 500 nodes, " << b << " ms for 5000";
    const loop::Program p = lower::lower(large, {});
    for (const loop::Group& g : p.groups)
      for (const loop::Nest& n : g.nests) EXPECT_LT(n.body.size(), 3000u);
  }
}

}  // namespace
}  // namespace sinter::test
