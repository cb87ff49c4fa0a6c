// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/hoist_loads.h"

#include <gtest/gtest.h>

namespace sinter::tile_ir {
namespace {

/// Ops of a kernel that folds a row and scales it, after loads of `words` words each were moved.
std::vector<Op> moved(int64_t words, int64_t most) {
  Kernel k = parse(R"(
kernel scaled (
  @x: f32* align 16,
  @w: f32* align 16,
  @y: f32* written align 16,
) {
  %x = block_load @x + 0 [0 * 1] : f32[64]
  %s = reduce sum 0 %x : f32[1]
  %all = broadcast %s : f32[64]
  %w = block_load @w + 0 [0 * 1] : f32[64]
  %z = mul %w, %all : f32[64]
  block_store @y + 0 [0 * 1], %z
}
)");
  hoist_loads(k, [&](const Instruction&) { return words; }, most);
  verify(k);
  std::vector<Op> ops;
  for (const Instruction& in : k.body.body) ops.push_back(in.op);
  return ops;
}

TEST(HoistLoads, AllLoadsStandInFront) {
  EXPECT_EQ(moved(8, 16),
            (std::vector{Op::block_load, Op::block_load, Op::reduce, Op::broadcast, Op::scalar, Op::block_store}));
}

TEST(HoistLoads, WhatAThreadCannotHoldStaysBehindTheFold) {
  EXPECT_EQ(moved(9, 16),
            (std::vector{Op::block_load, Op::reduce, Op::broadcast, Op::block_load, Op::scalar, Op::block_store}));
}

}  // namespace
}  // namespace sinter::tile_ir
