// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

const Expr s0 = Expr::symbol(0), s1 = Expr::symbol(1);

struct Outcome {
  std::vector<Expr> shape;
  std::vector<std::pair<Expr, Expr>> assumptions;
};

Outcome broadcast(const std::vector<std::vector<Expr>>& shapes) {
  std::vector<ValueType> types;
  for (const auto& s : shapes) types.push_back({f32, s});
  const Attributes none;
  InferContext c(test_ops().add, types, none, {"a.cpp", 7});
  Outcome o;
  o.shape = c.broadcast_operands();
  o.assumptions = c.assumptions();
  return o;
}

TEST(Broadcast, LiteralsAsNumPy) {
  EXPECT_EQ(broadcast({{2, 1, 4}, {3, 1}}).shape, (std::vector<Expr>{2, 3, 4}));
  EXPECT_EQ(broadcast({{}, {3}}).shape, (std::vector<Expr>{3}));
  EXPECT_EQ(broadcast({{0}, {1}}).shape, (std::vector<Expr>{0}));
  EXPECT_EQ(broadcast({{}}).shape, std::vector<Expr>{});
  EXPECT_THROW(broadcast({{2}, {3}}), UserError);
  EXPECT_THROW(broadcast({{0}, {2}}), UserError);
}

TEST(Broadcast, ASymbolNeverStretchesAndEqualityIsAssumed) {
  EXPECT_EQ(broadcast({{s0}, {1}}).shape, (std::vector<Expr>{s0}));
  EXPECT_TRUE(broadcast({{s0}, {1}}).assumptions.empty());
  EXPECT_TRUE(broadcast({{s0}, {s0}}).assumptions.empty());
  const Outcome two = broadcast({{s0}, {s1}});
  EXPECT_EQ(two.assumptions, (std::vector<std::pair<Expr, Expr>>{{s0, s1}}));
  const Outcome literal = broadcast({{s0, 5}, {8, 5}});
  EXPECT_EQ(literal.shape, (std::vector<Expr>{8, 5}));  // the literal is better known
  EXPECT_EQ(literal.assumptions, (std::vector<std::pair<Expr, Expr>>{{s0, 8}}));
}

TEST(Broadcast, TheErrorNamesShapesDimAndLine) {
  try {
    broadcast({{2, 3}, {4}});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(std::string(e.what()),
              "UserError: [test_add] cannot broadcast f32 [2,3] with f32 [4]: dim -1 is 3 against 4\n"
              "  at a.cpp:7\n"
              "  fix: give both sides 3 elements there, or one of them 1");
  }
}

TEST(Dims, AreNormalisedSortedAndDistinct) {
  const std::vector<ValueType> none;
  const Attributes attributes;
  const InferContext c(test_ops().add, none, attributes, {});
  EXPECT_EQ(c.dim(-1, 3), 2);
  EXPECT_EQ(c.dim(0, 0), 0);
  EXPECT_EQ(c.dim(-1, 0), 0);
  EXPECT_THROW(c.dim(3, 3), UserError);
  EXPECT_THROW(c.dim(-4, 3), UserError);
  EXPECT_THROW(c.dim(1, 0), UserError);
  EXPECT_EQ(c.dims({-1, 0}, 3), (std::vector<int>{0, 2}));
  EXPECT_EQ(c.dims({}, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(c.dims({-1}, 0).empty());
  EXPECT_THROW(c.dims({0, -3}, 3), UserError);
}

TEST(Graph, CollectsAssumptionsAndRefusesWrongCalls) {
  Graph g;
  g.set_symbol_count(2);
  const Value x = g.add_input({f32, {s0}}), y = g.add_input({f32, {s1}});
  g.add(test_ops().add, {x, y}, {});
  EXPECT_EQ(g.assumptions(), (std::vector<std::pair<Expr, Expr>>{{s0, s1}}));
  const Value scalar = g.add_input({f32, {}});
  EXPECT_THROW(g.add(test_ops().split, {scalar}, {}), UserError);
  EXPECT_THROW(g.add(test_ops().split, {x, y}, {}), UserError);
  EXPECT_EQ(g.size(), 4);
}

}  // namespace
}  // namespace sinter::graph
