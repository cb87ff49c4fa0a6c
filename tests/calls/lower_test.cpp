// SPDX-License-Identifier: Apache-2.0
// Where calls stand among the kernels of a program, and in which memory they read.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/lower/call_operands.h"
#include "src/reference/interpret.h"
#include "tests/calls/product.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

using graph::Expr;
using graph::Value;

class LowerCalls : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_product(); }

  Value call(Value x, Value y) {
    return b.op("test_product", {x, y}, graph::CallAttributes().number(graph::Number::of(2.0)).flag(true));
  }
  /// 'k' for a kernel, 'c' for a call, in order.
  static std::string steps(const loop::Program& p) {
    std::string s;
    for (const loop::Group& g : p.groups) s += g.call ? 'c' : 'k';
    return s;
  }
  /// Lowers, and compares the evaluated program with the reference on random inputs.
  loop::Program checked(std::span<const int64_t> symbols = {}) {
    std::vector<reference::Array> inputs;
    for (size_t i = 0; i < b.g.inputs().size(); ++i) {
      Dims shape;
      for (Expr e : b.g.type(b.g.inputs()[i]).shape)
        shape.push_back(evaluate(e, [&](Expr leaf) { return symbols[static_cast<size_t>(leaf.id())]; }));
      inputs.push_back(random_values(f32, shape, i + 1));
    }
    const auto expected = reference::interpret(b.g, inputs, symbols);
    for (const bool fuse : {true, false}) {
      const auto got = run(lowered(b.g, {.fuse = fuse}), b.g, inputs, symbols);
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(first_difference(expected[i], got[i]), "") << i;
    }
    return lowered(b.g);
  }

  GraphBuilder b;
};

TEST_F(LowerCalls, NeighboursFuseBeforeAndAfter) {
  const Value x = b.input(f32, {4, 6}), y = b.input(f32, {6, 5});
  const Value z = call(b.unary("relu", b.with_number("add", x, 1)), y);
  b.g.add_output(b.with_number("mul", b.unary("relu", z), 3));
  EXPECT_EQ(steps(checked()), "kck");
}

TEST_F(LowerCalls, TransposesSlicesAndOffsetsAreRead) {
  const Value x = b.input(f32, {6, 4}), y = b.input(f32, {7, 9});
  const Value part = b.op("slice", {y}, graph::CallAttributes().integer(0).integer(1).flag(true).extent(1).extent(7));
  b.g.add_output(call(b.permute(x, {1, 0}), part));
  const loop::Program p = checked();
  ASSERT_EQ(steps(p), "c");
  const loop::Call& c = *p.groups[0].call;
  EXPECT_EQ(c.operands[0].strides, (std::vector<Expr>{1, 4}));
  EXPECT_EQ(c.operands[1].offset, Expr(9));
  EXPECT_EQ(p.buffers[static_cast<size_t>(c.results[0].buffer)].role, loop::BufferRole::output);
}

TEST_F(LowerCalls, AComputedValueIsReadThroughItsTranspose) {
  const Value x = b.input(f32, {6, 4}), y = b.input(f32, {6, 5});
  b.g.add_output(call(b.permute(b.unary("relu", x), {1, 0}), y));
  const loop::Program p = checked();
  ASSERT_EQ(steps(p), "kc");
  EXPECT_EQ(p.groups[1].call->operands[0].strides, (std::vector<Expr>{1, 4}));
}

TEST_F(LowerCalls, APartOfAComputedValueIsComputedAlone) {
  const Value x = b.input(f32, {100, 4}), y = b.input(f32, {4, 5});
  const Value part =
      b.op("slice", {b.unary("relu", x)}, graph::CallAttributes().integer(0).integer(1).flag(true).extent(0).extent(3));
  b.g.add_output(call(part, y));
  const loop::Program p = checked();
  ASSERT_EQ(steps(p), "kc");
  EXPECT_EQ(p.groups[0].nests[0].axes[0].extent, Expr(12));
}

TEST_F(LowerCalls, WhatTheRuleRefusesIsCopied) {
  graph::Layout broadcast{{0, 1}, 0};
  const Value x = b.g.add_input({f32, {4, 6}}, broadcast), y = b.input(f32, {5, 6});
  b.g.add_output(call(x, b.permute(y, {1, 0})));
  b.g.add_output(b.unary("relu", x));  // still reads the input itself
  const loop::Program p = lowered(b.g);
  EXPECT_EQ(std::ranges::count(steps(p), 'c'), 1);
  const auto c = std::ranges::find_if(p.groups, [](const loop::Group& g) { return g.call.has_value(); });
  const loop::CallTensor& copy = c->call->operands[0];
  EXPECT_EQ(p.buffers[static_cast<size_t>(copy.buffer)].role, loop::BufferRole::temporary);
  EXPECT_EQ(copy.strides, (std::vector<Expr>{6, 1}));
  // One row of memory is the whole input.
  reference::Array row = random_values(f32, {6}, 3), right = random_values(f32, {5, 6}, 4);
  reference::Array whole = reference::Array::zeros(f32, {4, 6});
  for (int64_t i = 0; i < whole.size(); ++i) whole.set(i, row.at(i % 6));
  const auto expected = reference::interpret(b.g, std::vector{whole, right});
  const auto got = run(p, b.g, {row, right});
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(first_difference(expected[i], got[i]), "");
}

TEST_F(LowerCalls, CallsFeedCalls) {
  const Value x = b.input(f32, {4, 4});
  const Value z = call(call(x, x), b.permute(call(x, x), {1, 0}));
  b.g.add_output(z);
  b.g.add_output(b.reduce("sum", z, {1}));
  EXPECT_EQ(steps(checked()), "ccck");
}

TEST_F(LowerCalls, AResultThatLeavesTwiceIsCopiedOnce) {
  const Value x = b.input(f32, {4, 4});
  const Value z = call(x, x);
  b.g.add_output(z);
  b.g.add_output(z);
  EXPECT_EQ(steps(checked()), "ck");
}

// z = relu(x) is read by the call and, over the same space, by what adds the call's result: it may not join that kernel
// and so come after the call.
TEST_F(LowerCalls, AKernelNeverWaitsForItself) {
  const Value x = b.input(f32, {4, 4});
  const Value z = b.unary("exp", x);
  b.g.add_output(b.binary("add", z, call(z, z)));
  b.g.add_output(z);
  EXPECT_EQ(steps(checked()), "kck");
}

TEST_F(LowerCalls, SymbolicExtents) {
  const Expr m = Expr::symbol(b.g.new_symbol()), k = Expr::symbol(b.g.new_symbol());
  for (int s : {0, 1}) b.g.ranges.set_symbol(s, 2, graph::max_extent);
  const Value x = b.input(f32, {m, k}), y = b.input(f32, {m, k});
  b.g.add_output(b.with_number("add", call(b.unary("relu", x), b.permute(y, {1, 0})), 1));
  const int64_t symbols[] = {3, 7};
  EXPECT_EQ(steps(checked(symbols)), "kck");
  EXPECT_TRUE(lower::call_assumptions(b.g).empty());
}

TEST_F(LowerCalls, StridesThatAreSymbolsAreAssumedToFit) {
  const Expr s = Expr::symbol(b.g.new_symbol());
  const Value x = b.g.add_input({f32, {4, 6}}, graph::Layout{{s, 1}, 0});
  b.g.add_output(call(x, b.input(f32, {6, 5})));
  EXPECT_EQ(steps(lowered(b.g)), "c");
  EXPECT_EQ(lower::call_assumptions(b.g), (std::vector<std::pair<Expr, Expr>>{{max(s, 6), s}}));
}

TEST_F(LowerCalls, EmptyResults) {
  const Value x = b.input(f32, {0, 4}), y = b.input(f32, {4, 5});
  b.g.add_output(call(b.unary("relu", x), y));
  checked();
}

}  // namespace
}  // namespace sinter::test
