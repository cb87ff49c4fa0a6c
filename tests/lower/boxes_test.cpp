// SPDX-License-Identifier: Apache-2.0
// Nests split into boxes where the masks of their reads change: which, and that no bit depends on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "src/graph/attributes.h"
#include "src/lower/limits.h"
#include "src/ops/dispatch.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/join_cases.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Value;
using loop::InstructionKind;

/// The nests of all groups as text, without their braces: "[a0 < 3] %0 = load b0[a0] : f32; store b2[a0] = %0".
std::vector<std::string> nests(const loop::Program& p) {
  std::vector<std::string> found;
  std::string text = loop::print(p);
  for (size_t at = text.find("nest "); at != std::string::npos; at = text.find("nest ", at + 1)) {
    std::string nest = text.substr(at + 5, text.find("    }\n", at) - at - 5);
    std::string line;
    for (size_t i = 0; i < nest.size(); ++i) {
      if (nest[i] == '{') continue;
      if (nest[i] == '\n') {
        while (i + 1 < nest.size() && nest[i + 1] == ' ') ++i;
        if (i + 1 < nest.size()) line += line.back() == ' ' ? "" : "; ";
        continue;
      }
      line += nest[i];
    }
    found.push_back(line);
  }
  return found;
}

int masked_loads(const loop::Program& p) {
  int n = 0;
  for (const loop::Group& g : p.groups)
    for (const loop::Nest& nest : g.nests)
      for (const loop::Instruction& in : nest.body.instructions())
        n += in.kind == InstructionKind::load && in.operands[0] >= 0;
  return n;
}

size_t boxes(const loop::Program& p) {
  size_t n = 0;
  for (const loop::Group& g : p.groups) n += g.nests.size();
  return n;
}

class Boxes : public testing::Test {
 protected:
  void SetUp() override { ops::register_all_ops(); }

  /// Symbols s0, s1, ... with extents' ranges.
  static void add_symbols(GraphBuilder& b, int count) {
    b.g.set_symbol_count(count);
    for (int s = 0; s < count; ++s) b.g.ranges.set_symbol(s, 2, graph::max_extent);
  }
};

TEST_F(Boxes, CatIsACopyOfEachOperand) {
  GraphBuilder b;
  b.g.add_output(cat(b, {b.input(f32, {3, 40}), b.input(f32, {5, 40}), b.input(f32, {2, 40})}, 0));
  EXPECT_EQ(nests(lowered(b.g)), (std::vector<std::string>{
                                     "[a0 < 120] %0 = load b0[a0] : f32; store b3[a0] = %0",
                                     "[a0 < 200] %0 = load b1[a0] : f32; store b3[a0 + 120] = %0",
                                     "[a0 < 80] %0 = load b2[a0] : f32; store b3[a0 + 320] = %0",
                                 }));
}

TEST_F(Boxes, CatAlongTheLastDimKeepsItsRows) {
  GraphBuilder b;
  b.g.add_output(cat(b, {b.input(f32, {3, 40}), b.input(f32, {3, 50})}, 1));
  EXPECT_EQ(nests(lowered(b.g)), (std::vector<std::string>{
                                     "[a0 < 3, a1 < 40] %0 = load b0[40*a0 + a1] : f32; store b2[90*a0 + a1] = %0",
                                     "[a0 < 3, a1 < 50] %0 = load b1[50*a0 + a1] : f32; store b2[90*a0 + a1 + 40] = %0",
                                 }));
}

TEST_F(Boxes, ProducersAndConsumersAreSplitWithIt) {
  GraphBuilder b;
  const Value x = b.input(f32, {300}), y = b.input(f32, {200});
  b.g.add_output(b.unary("neg", cat(b, {b.with_number("mul", x, 3), y}, 0)));
  const auto p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  EXPECT_EQ(nests(p), (std::vector<std::string>{
                          "[a0 < 300] %0 = load b0[a0] : f32; %1 = constant 3 : f32; %2 = mul %0, %1 : f32; "
                          "%3 = neg %2 : f32; store b2[a0] = %3",
                          "[a0 < 200] %0 = load b1[a0] : f32; %1 = neg %0 : f32; store b2[a0 + 300] = %1",
                      }));
}

TEST_F(Boxes, PadIsACopyBesideBoxesOfTheFill) {
  GraphBuilder b;
  b.g.add_output(pad(b, b.input(f32, {30, 100}), {20, 24, 1, 2}, 0.5));
  EXPECT_EQ(nests(lowered(b.g)),
            (std::vector<std::string>{
                "[a0 < 144] %0 = constant 0.5 : f32; store b1[a0] = %0",
                "[a0 < 30, a1 < 20] %0 = constant 0.5 : f32; store b1[144*a0 + a1 + 144] = %0",
                "[a0 < 30, a1 < 100] %0 = load b0[100*a0 + a1] : f32; store b1[144*a0 + a1 + 164] = %0",
                "[a0 < 30, a1 < 24] %0 = constant 0.5 : f32; store b1[144*a0 + a1 + 264] = %0",
                "[a0 < 288] %0 = constant 0.5 : f32; store b1[a0 + 4464] = %0",
            }));
}

TEST_F(Boxes, SymbolicPointsAreExpressions) {
  GraphBuilder b;
  add_symbols(b, 4);
  const Expr n = Expr::symbol(3);
  b.g.add_output(cat(
      b, {b.input(f32, {Expr::symbol(0), n}), b.input(f32, {Expr::symbol(1), n}), b.input(f32, {Expr::symbol(2), n})},
      0));
  EXPECT_EQ(nests(lowered(b.g)), (std::vector<std::string>{
                                     "[a0 < s0*s3] %0 = load b0[a0] : f32; store b3[a0] = %0",
                                     "[a0 < s1*s3] %0 = load b1[a0] : f32; store b3[a0 + s0*s3] = %0",
                                     "[a0 < s2*s3] %0 = load b2[a0] : f32; store b3[a0 + s0*s3 + s1*s3] = %0",
                                 }));
}

TEST_F(Boxes, SymbolicMarginsMayBeNegative) {
  GraphBuilder b;
  add_symbols(b, 1);
  b.g.set_symbol_count(3);
  graph::Attributes a = graph::literal_attributes(CallAttributes().extents({3, 4}).number(graph::Number::of(1.5)));
  a.scalars[0].expr = Expr::symbol(1);
  a.scalars[1].expr = Expr::symbol(2);
  const Value x = b.input(f32, {Expr::symbol(0)});
  b.g.add_output({b.g.add(ops::registered_op("pad"), {x}, a), 0});
  const auto p = lowered(b.g);
  EXPECT_EQ(boxes(p), 3u) << loop::print(p);
  EXPECT_EQ(masked_loads(p), 0) << loop::print(p);
  const reference::Array values = random_values(f32, {9}, 5);
  for (const Dims& margins :
       {Dims{3, 4}, Dims{0, 0}, Dims{-2, 5}, Dims{4, -3}, Dims{-4, -5}, Dims{-9, 2}, Dims{0, 1}}) {
    GraphBuilder literal;
    literal.g.add_output(pad(literal, literal.input(f32, {9}), margins, 1.5));
    const auto expected = reference::interpret(literal.g, std::vector{values});
    const int64_t symbols[] = {9, margins[0], margins[1]};
    EXPECT_EQ(first_difference(expected[0], run(p, b.g, {values}, symbols)[0]), "") << margins.text();
  }
}

TEST_F(Boxes, AllOutputsOfANestAreSplitAlike) {
  GraphBuilder b;
  const Value y = cat(b, {b.input(f32, {300}), b.input(f32, {200})}, 0);
  b.g.add_output(y);
  b.g.add_output(b.unary("neg", y));
  const auto p = lowered(b.g);
  ASSERT_EQ(p.groups.size(), 1u);
  ASSERT_EQ(p.groups[0].nests.size(), 2u) << loop::print(p);
  for (const loop::Nest& n : p.groups[0].nests) EXPECT_EQ(n.stores.size(), 2u);
}

TEST_F(Boxes, MasksOfOtherFormsStay) {
  const auto stay = [](const std::string& what, const std::function<Value(GraphBuilder&)>& make) {
    GraphBuilder b;
    b.g.add_output(make(b));
    const auto p = lowered(b.g);
    EXPECT_EQ(boxes(p), 1u) << what << "\n" << loop::print(p);
    EXPECT_GT(masked_loads(p), 0) << what;
  };
  stay("a gathered index", [](GraphBuilder& b) {
    const Value joined = cat(b, {b.input(f32, {30, 40}), b.input(f32, {50, 40})}, 0);
    return b.op("index_select", {joined, b.input(i64, {9})}, CallAttributes().integer(0));
  });
  stay("a fold", [](GraphBuilder& b) {
    return b.reduce("sum", cat(b, {b.input(f32, {30, 40}), b.input(f32, {50, 40})}, 0), {0});
  });
  stay("boxes narrower than a line", [](GraphBuilder& b) {
    return b.op("stack", {b.input(f32, {300}), b.input(f32, {300})}, CallAttributes().integer(-1));
  });
  stay("thin margins of rows", [](GraphBuilder& b) { return pad(b, b.input(f32, {30, 400}), {1, 1}, 0); });
  stay("margins of unknown width along rows", [](GraphBuilder& b) {
    add_symbols(b, 4);
    graph::Attributes a = graph::literal_attributes(CallAttributes().extents({3, 4}).number(graph::Number::of(1)));
    a.scalars[0].expr = Expr::symbol(2);
    a.scalars[1].expr = Expr::symbol(3);
    const Value x = b.input(f32, {Expr::symbol(0), Expr::symbol(1)});
    return Value{b.g.add(ops::registered_op("pad"), {x}, a), 0};
  });
}

TEST_F(Boxes, OperandsOfUnknownWidthAreSplit) {
  GraphBuilder b;
  add_symbols(b, 3);
  const auto s = [](int i) { return Expr::symbol(i); };
  b.g.add_output(cat(b, {b.input(f32, {s(2), s(0)}), b.input(f32, {s(2), s(1)})}, 1));
  const auto p = lowered(b.g);
  EXPECT_EQ(boxes(p), 2u) << loop::print(p);
  EXPECT_EQ(masked_loads(p), 0);
}

TEST_F(Boxes, PointsWithoutProvableOrderStayMasked) {
  GraphBuilder b;
  add_symbols(b, 4);
  const auto s = [](int i) { return Expr::symbol(i); };
  // Both have s0 + s1 + s2 rows; whether s0 or s1 is larger is open.
  const Value x = cat(b, {b.input(f32, {s(0)}), b.input(f32, {s(1)}), b.input(f32, {s(2)})}, 0);
  const Value y = cat(b, {b.input(f32, {s(1)}), b.input(f32, {s(0)}), b.input(f32, {s(2)})}, 0);
  b.g.add_output(b.binary("add", x, y));
  const auto p = lowered(b.g);
  EXPECT_EQ(boxes(p), 3u) << loop::print(p);
  EXPECT_EQ(masked_loads(p), 4) << loop::print(p);
  for (const Dims& extents : {Dims{3, 5, 4}, Dims{5, 3, 4}, Dims{4, 4, 4}}) {
    std::vector<reference::Array> inputs;
    for (const size_t i : {0, 1, 2, 1, 0, 2}) inputs.push_back(random_values(f32, {extents[i]}, inputs.size()));
    GraphBuilder l;
    std::vector<Value> in;
    for (const reference::Array& a : inputs) in.push_back(l.input(f32, {a.size()}));
    l.g.add_output(l.binary("add", cat(l, {in[0], in[1], in[2]}, 0), cat(l, {in[3], in[4], in[5]}, 0)));
    const int64_t symbols[] = {extents[0], extents[1], extents[2], 0};
    const auto expected = reference::interpret(l.g, inputs);
    EXPECT_EQ(first_difference(expected[0], run(p, b.g, inputs, symbols)[0]), "") << extents.text();
  }
}

TEST_F(Boxes, CrossingJoinsDoNotMultiplyWithoutBound) {
  GraphBuilder b;
  std::vector<Value> rows, columns;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(b.input(f32, {20, 400}));
    columns.push_back(b.input(f32, {400, 20}));
  }
  b.g.add_output(b.binary("add", cat(b, rows, 0), cat(b, columns, 1)));
  EXPECT_EQ(boxes(lowered(b.g)), 20u);
}

double join_milliseconds(const graph::Graph& g) {
  const auto start = std::chrono::steady_clock::now();
  const loop::Program p = lower::lower(g, {});
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

TEST_F(Boxes, HundredsOfOperandsAreSeveralKernels) {
  const auto join = [](int n) {
    GraphBuilder b;
    add_symbols(b, n + 1);
    std::vector<Value> operands;
    for (int i = 0; i < n; ++i) operands.push_back(b.input(f32, {Expr::symbol(i), Expr::symbol(n)}));
    b.g.add_output(cat(b, operands, 0));
    return b.g;
  };
  const auto p = lowered(join(300));
  EXPECT_EQ(boxes(p), 300u);
  EXPECT_EQ(masked_loads(p), 0);
  EXPECT_EQ(p.groups.size(), (300 + lower::max_boxes - 1) / lower::max_boxes);
  for (const loop::Group& g : p.groups) EXPECT_LE(g.nests.size(), lower::max_boxes);
  // The sums of extents alone are of quadratic size.
  join_milliseconds(join(150));
  const double a = join_milliseconds(join(150)), b = join_milliseconds(join(600));
  EXPECT_LT(b, 40 * a + 50) << a << " ms for 150 operands, " << b << " ms for 600";
}

TEST_F(Boxes, GiveTheReferenceBits) {
  size_t split = 0;
  for (const JoinCase& c : join_cases()) {
    const graph::Graph literal = c.literal();
    const auto inputs = c.inputs();
    const auto expected = reference::interpret(literal, inputs);
    std::vector<int64_t> symbols;
    const graph::Graph symbolic = c.symbolic(symbols);
    for (const bool is_symbolic : {false, true})
      for (const bool fuse : {false, true}) {
        const graph::Graph& g = is_symbolic ? symbolic : literal;
        const auto p = lowered(g, {.fuse = fuse});
        split += boxes(p) > p.groups.size();
        const auto got = run(p, g, inputs, symbols);
        for (size_t i = 0; i < expected.size(); ++i)
          EXPECT_EQ(first_difference(expected[i], got[i]), "") << c.name << ", output " << i << "\n" << loop::print(p);
      }
  }
  EXPECT_GT(split, 60u);
}

}  // namespace
}  // namespace sinter::test
