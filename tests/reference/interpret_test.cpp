// SPDX-License-Identifier: Apache-2.0
#include "src/reference/interpret.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <bit>

#include "src/graph/registry.h"
#include "src/loop/reader.h"
#include "src/reference/elementwise.h"

namespace sinter::reference {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Graph;
using graph::literal_attributes;
using graph::Number;
using graph::OpDef;
using graph::ParamKind;

Array of(DType t, const Dims& shape, std::vector<double> v) { return Array::of(t, shape, v); }

/// a * b, broadcast, in the dtype of a.
const OpDef& multiply() {
  static const OpDef* const op = [] {
    OpDef d;
    d.name = "multiply";
    d.min_operands = d.max_operands = 2;
    d.infer = [](graph::InferContext& c) {
      return std::vector<graph::ValueType>{{c.operand(0).dtype, c.broadcast_operands()}};
    };
    d.lower = [](loop::Reader& r, std::span<const Expr> index) {
      return r.builder().mul(r.read_broadcast(0, index), r.read_broadcast(1, index));
    };
    d.reference = elementwise;
    return &graph::register_op(std::move(d));
  }();
  return *op;
}

/// a + number.
const OpDef& plus_number() {
  static const OpDef* const op = [] {
    OpDef d;
    d.name = "plus_number";
    d.params = {{"other", ParamKind::number}};
    d.infer = [](graph::InferContext& c) { return std::vector{c.operand(0)}; };
    d.lower = [](loop::Reader& r, std::span<const Expr> index) {
      const loop::Value a = r.read(0, index);
      return r.builder().add(a, r.number(r.attributes().number(), a.type));
    };
    d.reference = elementwise;
    return &graph::register_op(std::move(d));
  }();
  return *op;
}

/// The first `count` elements of a vector.
const OpDef& head() {
  static const OpDef* const op = [] {
    OpDef d;
    d.name = "head";
    d.op_class = graph::OpClass::view;
    d.params = {{"count", ParamKind::extent}};
    d.infer = [](graph::InferContext& c) {
      return std::vector<graph::ValueType>{{c.operand(0).dtype, {c.attributes().extent()}}};
    };
    d.reference = [](const graph::Node& n, std::span<const Array> x) {
      Array out = Array::zeros(x[0].dtype, {graph::AttributeReader(n.attributes).extent().constant().value()});
      for (int64_t i = 0; i < out.size(); ++i) out.set(i, x[0].at(i));
      return std::vector{out};
    };
    return &graph::register_op(std::move(d));
  }();
  return *op;
}

/// x * x + 1, by decomposition only.
const OpDef& square_plus_one() {
  static const OpDef* const op = [] {
    OpDef d;
    d.name = "square_plus_one";
    d.infer = [](graph::InferContext& c) { return std::vector{c.operand(0)}; };
    d.decompose = [](Graph& g, const graph::Node& n) {
      const graph::Value x = n.operands[0];
      const graph::Value square{g.add(multiply(), {x, x}, {}), 0};
      return std::vector<graph::Value>{
          {g.add(plus_number(), {square}, literal_attributes(CallAttributes().number(Number::of(1)))), 0}};
    };
    return &graph::register_op(std::move(d));
  }();
  return *op;
}

TEST(Interpret, PointwiseOpsBroadcastAndRoundAfterEachOp) {
  Graph g;
  const auto x = g.add_input({f16, {2, 1}}), y = g.add_input({f16, {3}});
  const graph::Value product{g.add(multiply(), {x, y}, {}), 0};
  const graph::Value sum{g.add(plus_number(), {product}, literal_attributes(CallAttributes().number(Number::of(0.25)))),
                         0};
  g.add_output(sum);
  g.add_output(product);
  const Array inputs[] = {of(f16, {2, 1}, {1, 3}), of(f16, {3}, {1, 2, 1000.5})};
  const auto out = interpret(g, inputs);
  // 3 * 1000.5 = 3001.5 is rounded to 3002 (f16 steps of 2) before 0.25 is added.
  EXPECT_EQ(out[1], of(f16, {2, 3}, {1, 2, 1000.5, 3, 6, 3002}));
  EXPECT_EQ(out[0], of(f16, {2, 3}, {1.25, 2.25, 1001, 3.25, 6.25, 3002}));
}

TEST(Interpret, SymbolsAreExtentsAndNumbers) {
  Graph g;
  const Expr n = Expr::symbol(g.new_symbol());
  const int number = g.new_symbol();
  const auto x = g.add_input({f32, {n * Expr(2)}});
  graph::Attributes count = literal_attributes(CallAttributes().extent(0));
  count.scalars[0].expr = n + Expr(1);
  const graph::Value first{g.add(head(), {x}, count), 0};
  graph::Attributes other = literal_attributes(CallAttributes().number(Number::of(0.0)));
  other.scalars[0].symbol = number;
  g.add_output({g.add(plus_number(), {first}, other), 0});
  const Array input[] = {of(f32, {4}, {1, 2, 3, 4})};
  const int64_t symbols[] = {2, std::bit_cast<int64_t>(0.1)};
  EXPECT_EQ(interpret(g, input, symbols)[0], of(f32, {3}, {1 + 0.1f, 2 + 0.1f, 3 + 0.1f}));
  const int64_t other_extent[] = {3, 0};
  EXPECT_THROW(interpret(g, input, other_extent), CompileError);
  EXPECT_THROW(interpret(g, input), CompileError);
}

TEST(Interpret, DecompositionsAreTheReferenceOfOpsWithoutOne) {
  Graph g;
  const auto x = g.add_input({i32, {3}});
  g.add_output({g.add(square_plus_one(), {x}, {}), 0});
  const Array input[] = {of(i32, {3}, {1, -2, 70000})};
  EXPECT_EQ(interpret(g, input)[0], of(i32, {3}, {2, 5, 4900000001.0 - 4294967296.0}));
}

TEST(Interpret, ChecksAssumptions) {
  Graph g;
  const Expr a = Expr::symbol(g.new_symbol()), b = Expr::symbol(g.new_symbol());
  const auto x = g.add_input({f32, {a}}), y = g.add_input({f32, {b}});
  g.add_output({g.add(multiply(), {x, y}, {}), 0});
  ASSERT_EQ(g.assumptions().size(), 1u);
  const Array equal[] = {Array::zeros(f32, {2}), Array::zeros(f32, {2})};
  const int64_t twos[] = {2, 2};
  EXPECT_EQ(interpret(g, equal, twos)[0], Array::zeros(f32, {2}));
  const Array different[] = {Array::zeros(f32, {2}), Array::zeros(f32, {3})};
  const int64_t two_three[] = {2, 3};
  EXPECT_THROW(interpret(g, different, two_three), CompileError);
}

TEST(Interpret, AnInputMayBeAnOutputAndUsedTwice) {
  Graph g;
  const auto x = g.add_input({f32, {}});
  const graph::Value square{g.add(multiply(), {x, x}, {}), 0};
  g.add_output({g.add(multiply(), {square, x}, {}), 0});
  g.add_output(x);
  const Array input[] = {of(f32, {}, {3})};
  const auto out = interpret(g, input);
  EXPECT_EQ(out[0], of(f32, {}, {27}));
  EXPECT_EQ(out[1], input[0]);
}

}  // namespace
}  // namespace sinter::reference
