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

// What is sent for goes first; its loads wait, and stay where they are.
TEST(HoistLoads, RunsAreSentForBeforeEverything) {
  Kernel k = parse(R"(
kernel scaled (
  @x: f32* align 16,
  @w: f32* align 16,
  @y: f32* written align 16,
) {
  %o = constant 0 : i64
  %n = constant 64 : i64
  stage 0 @x + %o, %n of 64 by 64
  %x = block_load @x + 0 [0 * 1, run 0] : f32[64]
  %s = reduce sum 0 %x : f32[1]
  %all = broadcast %s : f32[64]
  %w = block_load @w + 0 [0 * 1] : f32[64]
  %z = mul %w, %all : f32[64]
  block_store @y + 0 [0 * 1], %z
}
)");
  hoist_loads(k, [](const Instruction&) { return 8; }, 8);
  verify(k);
  std::vector<Op> ops;
  for (const Instruction& in : k.body.body) ops.push_back(in.op);
  EXPECT_EQ(ops, (std::vector{Op::constant, Op::constant, Op::stage, Op::block_load, Op::block_load, Op::reduce,
                              Op::broadcast, Op::scalar, Op::block_store}));
  EXPECT_EQ(k.body.body[3].access->run, -1);
}

TEST(HoistLoads, WhatAThreadCannotHoldStaysBehindTheFold) {
  EXPECT_EQ(moved(9, 16),
            (std::vector{Op::block_load, Op::reduce, Op::broadcast, Op::block_load, Op::scalar, Op::block_store}));
}

}  // namespace
}  // namespace sinter::tile_ir
