// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

Graph sound() {
  Graph g;
  const Expr s0 = Expr::symbol(g.new_symbol());
  const Value x = g.add_input({f32, {s0, 3}}), y = g.add_input({f32, {3}});
  const NodeId sum = g.add(test_ops().add, {x, y}, {});
  Scalar number;
  number.literal = Number::of(2);
  const NodeId all = g.add(test_ops().everything, {{sum, 0}}, everything_attributes(s0, number, true));
  g.add_output({all, 0});
  return g;
}

struct Case {
  const char* what;
  void (*damage)(Graph&);
};

class Damage : public testing::TestWithParam<Case> {};

TEST_P(Damage, IsFound) {
  Graph g = sound();
  verify(g);
  GetParam().damage(g);
  try {
    verify(g);
    FAIL() << "not found: " << GetParam().what;
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().what), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, Damage,
    testing::Values(
        Case{"an operand is not an earlier result", [](Graph& g) { g.node(2).operands[0] = {3, 0}; }},
        Case{"an operand is not an earlier result", [](Graph& g) { g.node(2).operands[0] = {2, 0}; }},
        Case{"an operand is not an earlier result", [](Graph& g) { g.node(3).operands[0] = {2, 1}; }},
        Case{"an operand is not an earlier result", [](Graph& g) { g.node(3).operands[0] = {-1, 0}; }},
        Case{"other types", [](Graph& g) { g.node(2).results[0].dtype = f16; }},
        Case{"other types", [](Graph& g) { g.node(3).results[0].shape[1] = 4; }},
        Case{"refuses it", [](Graph& g) { g.node(1).results[0].shape[0] = 4; }},
        Case{"no result", [](Graph& g) { g.node(2).results.clear(); }},
        Case{"unknown symbol", [](Graph& g) { g.set_symbol_count(0); }},
        Case{"unknown symbol", [](Graph& g) { g.node(3).attributes.scalars[0].symbol = 1; }},
        Case{"unknown symbol", [](Graph& g) { g.node(3).attributes.scalars[2].expr = Expr::symbol(9); }},
        Case{"depends on an axis", [](Graph& g) { g.node(3).attributes.scalars[2].expr = Expr::axis(0); }},
        Case{"a number stands for an extent", [](Graph& g) { g.node(3).attributes.scalars[2].is_extent = false; }},
        Case{"an extent stands for a number", [](Graph& g) { g.node(3).attributes.scalars[0].is_extent = true; }},
        Case{"more attributes than", [](Graph& g) { g.node(3).attributes.words.push_back(0); }},
        Case{"more attributes than", [](Graph& g) { g.node(2).attributes.scalars.emplace_back(); }},
        Case{"reads more attributes", [](Graph& g) { g.node(3).attributes.words.pop_back(); }},
        Case{"reads more numbers", [](Graph& g) { g.node(3).attributes.scalars.pop_back(); }},
        Case{"no enumerator", [](Graph& g) { g.node(3).attributes.words[6] = 2; }},
        Case{"no dtype", [](Graph& g) { g.node(3).attributes.words[5] = word_of(DType(DType::Kind::floating, 24)); }},
        Case{"wrong number of operands", [](Graph& g) { g.node(3).operands.push_back({0, 0}); }},
        Case{"wrong number of operands", [](Graph& g) { g.node(2).operands.clear(); }},
        Case{"no input", [](Graph& g) { g.node(2).op = nullptr; }},
        Case{"an output is no value", [](Graph& g) { g.add_output({4, 0}); }},
        Case{"an output is no value", [](Graph& g) { g.add_output({3, 1}); }},
        Case{"effects are out of order",
             [](Graph& g) {
               g.node(2).effect_order = 1;
               g.node(3).effect_order = 1;
             }},
        Case{"an input has operands", [](Graph& g) { g.node(1).operands = {{0, 0}}; }},
        Case{"an extent is negative", [](Graph& g) { g.node(1).results[0].shape[0] = -3; }},
        Case{"another rank", [](Graph& g) { g.node(0).results[0].shape.pop_back(); }},
        Case{"a subgraph is missing", [](Graph& g) { g.node(2).subgraphs.push_back(nullptr); }},
        Case{"an output is no value", [](Graph& g) {
               g.node(2).subgraphs = {std::make_shared<Graph>()};
               g.node(2).subgraphs[0]->add_output({0, 0});
             }}));

TEST(Verify, NamesOpAndLine) {
  Graph g = sound();
  g.node(2).line = {"model.cpp", 41};
  g.node(2).results[0].dtype = f16;
  try {
    verify(g);
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_EQ(e.parts().op, "test_add");
    EXPECT_NE(std::string(e.what()).find("model.cpp:41"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("%2"), std::string::npos);
  }
}

}  // namespace
}  // namespace sinter::graph
