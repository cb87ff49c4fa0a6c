// SPDX-License-Identifier: Apache-2.0
// Which scans share a nest with what, and that the evaluator gives the reference's bits.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/loop/dependence.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

using graph::Value;

class ScanFusion : public testing::Test {
 protected:
  static void SetUpTestSuite() { ops::register_all_ops(); }

  static Value scan(GraphBuilder& b, std::string_view name, Value x, int64_t dim) {
    return b.op(name, {x}, graph::CallAttributes().integer(dim));
  }
  static int count(const loop::Nest& n, loop::InstructionKind kind) {
    return static_cast<int>(
        std::ranges::count_if(n.body.instructions(), [&](const loop::Instruction& in) { return in.kind == kind; }));
  }
  static void expect_reference(const GraphBuilder& b, const std::vector<reference::Array>& inputs) {
    const auto expected = reference::interpret(b.g, inputs);
    for (const bool collapsed : {false, true}) {
      const auto got = run(lowered(b.g, {}, collapsed), b.g, inputs);
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(first_difference(expected[i], got[i]), "");
    }
  }
};

TEST_F(ScanFusion, NeighboursAndSeveralScansOfOneInputShareANest) {
  GraphBuilder b;
  const Value x = b.input(f32, {4, 9000}), y = b.unary("exp", x);
  b.g.add_output(b.unary("neg", scan(b, "cumsum", y, 1)));
  b.g.add_output(scan(b, "cummax", x, 1));
  b.g.add_output(scan(b, "cummax_indices", x, 1));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u) << loop::print(p);
  const loop::Nest& n = p.groups[0].nests[0];
  EXPECT_EQ(loop::scan_axis(n), 1u);
  EXPECT_EQ(count(n, loop::InstructionKind::scan), 3);
  EXPECT_EQ(count(n, loop::InstructionKind::load), 1);
  expect_reference(b, {random_values(f32, {4, 9000}, 3)});
}

TEST_F(ScanFusion, ScansOfScansShareANest) {
  GraphBuilder b;
  const Value x = b.input(f16, {3, 70, 5});
  b.g.add_output(scan(b, "cumprod", scan(b, "cumsum", x, 1), 1));
  const loop::Program p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  EXPECT_EQ(loop::scan_axis(p.groups[0].nests[0]), 1u);
  expect_reference(b, {random_values(f16, {3, 70, 5}, 4)});
}

TEST_F(ScanFusion, ScansAlongTwoAxesAreTwoKernels) {
  GraphBuilder b;
  const Value x = b.input(f32, {30, 40});
  b.g.add_output(scan(b, "cumsum", scan(b, "cumsum", x, 0), 1));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);
  expect_reference(b, {random_values(f32, {30, 40}, 5)});
}

TEST_F(ScanFusion, ReadBackwardsOrByAFoldItIsStored) {
  GraphBuilder b;
  const Value x = b.input(f32, {30, 40}), sums = scan(b, "cumsum", x, 1);
  b.g.add_output(b.op("flip", {sums}, graph::CallAttributes().integers({1})));
  b.g.add_output(b.reduce("sum", sums, {1}));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u) << "the flip and the fold read it together";
  expect_reference(b, {random_values(f32, {30, 40}, 6)});
}

// A row of the result would be scanned once for each row of the sum.
TEST_F(ScanFusion, BroadcastItIsScannedOnce) {
  GraphBuilder b;
  const Value x = b.input(f32, {40}), y = b.input(f32, {30, 40});
  b.g.add_output(b.binary("add", y, scan(b, "cumsum", x, 0)));
  EXPECT_EQ(lowered(b.g).groups.size(), 2u);
  expect_reference(b, {random_values(f32, {40}, 7), random_values(f32, {30, 40}, 8)});
}

// The scanned axis never merges with its neighbours; they merge with each other.
TEST_F(ScanFusion, OtherAxesCollapse) {
  GraphBuilder b;
  const Value x = b.input(f32, {3, 4, 50});
  b.g.add_output(scan(b, "cumsum", x, 2));
  const loop::Program p = lowered(b.g);
  EXPECT_EQ(p.groups[0].nests[0].axes, (std::vector<loop::Axis>{{12, false}, {50, false}}));
  expect_reference(b, {random_values(f32, {3, 4, 50}, 9)});
}

}  // namespace
}  // namespace sinter::test
