// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/axis_analysis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {
namespace {

const Instruction& only_gather(const Kernel& k) {
  for (const Instruction& in : k.body.body)
    if (in.op == Op::gather) return in;
  throw std::runtime_error("no gather");
}

/// Elements that a gather of `body`, which defines %offset (and %mask), reads at once along the last dim of 4 x 64.
int64_t together(const std::string& body, bool masked = false) {
  const Kernel k =
      parse(fmt::format("kernel k (\n  @x: f32* align 16,\n  @rows: i64* align 16,\n  @n: i64,\n) {{\n"
                        "  %zero = constant 0 : i64\n"
                        "  %row = block_load @rows + 0 [%zero * 1, 0 * 0] : i64[4x1]\n{}"
                        "  %v = gather @x [%offset]{} : f32[4x64]\n}}\n",
                        body, masked ? " mask %mask fill %nothing" : ""));
  verify(k);
  return gathered_together(AxisAnalysis(k, value_types(k)), only_gather(k), 1, 16);
}

const std::string columns =
    "  %c = iota 1 : i32[1x64]\n  %cc = broadcast %c : i32[4x64]\n"
    "  %r = convert<i32> %row : i32[4x1]\n  %size = constant 4096 : i32\n  %sizes = broadcast %size : i32[4x1]\n"
    "  %start = mul %r, %sizes : i32[4x1]\n  %starts = broadcast %start : i32[4x64]\n";

TEST(AxisAnalysis, RowsThatAnIndexChooses) {
  EXPECT_EQ(together(columns + "  %offset = add %starts, %cc : i32[4x64]\n"), 16);
}

TEST(AxisAnalysis, RowsThatStartBetweenBoundaries) {
  std::string odd = columns;
  odd.replace(odd.find("4096"), 4, "4100");
  EXPECT_EQ(together(odd + "  %offset = add %starts, %cc : i32[4x64]\n"), 4);
  EXPECT_EQ(together(columns + "  %one = constant 1 : i32\n  %ones = broadcast %one : i32[4x64]\n"
                               "  %next = add %cc, %ones : i32[4x64]\n  %offset = add %starts, %next : i32[4x64]\n"),
            1);
}

TEST(AxisAnalysis, MasksThatCutVectors) {
  const std::string add = columns + "  %offset = add %starts, %cc : i32[4x64]\n  %nothing = constant 0 : f32\n";
  const auto below = [&](int n) {
    return together(add + fmt::format("  %n = constant {} : i32\n  %ns = broadcast %n : i32[4x64]\n"
                                      "  %mask = lt %cc, %ns : boolean[4x64]\n",
                                      n),
                    true);
  };
  EXPECT_EQ(below(48), 16);
  EXPECT_EQ(below(40), 8);
  EXPECT_EQ(below(41), 1);
  // The same for a whole row.
  EXPECT_EQ(together(add + "  %zeros = broadcast %zero : i64[4x1]\n  %good = le %zeros, %row : boolean[4x1]\n"
                           "  %mask = broadcast %good : boolean[4x64]\n",
                     true),
            16);
}

// What a program computed itself may wrap where it is narrow: neighbours are none then.
TEST(AxisAnalysis, NarrowIntegersAreNotFollowed) {
  EXPECT_EQ(together(columns + "  %three = constant 3 : i32\n  %threes = broadcast %three : i32[4x64]\n"
                               "  %late = add %cc, %threes : i32[4x64]\n  %byte = round_to<i8> %late : i32[4x64]\n"
                               "  %offset = add %starts, %byte : i32[4x64]\n"),
            1);
  EXPECT_EQ(together(columns + "  %w = convert<i64> %cc : i64[4x64]\n  %back = convert<i32> %w : i32[4x64]\n"
                               "  %offset = add %starts, %back : i32[4x64]\n"),
            1);
}

// Neighbours of the last dim that one index each chooses.
TEST(AxisAnalysis, ElementsThatAnIndexChooses) {
  EXPECT_EQ(together("  %all = broadcast %row : i64[4x64]\n  %offset = mul %all, %all : i64[4x64]\n"), 1);
}

}  // namespace
}  // namespace sinter::tile_ir
