// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

void expect_identity(const Graph& g) {
  verify(g);
  const std::string text = print(g);
  const Graph again = parse(text);
  verify(again);
  EXPECT_EQ(print(again), text);
  for (NodeId id = 0; id < g.size(); ++id) {
    EXPECT_EQ(again.node(id).op, g.node(id).op);
    EXPECT_EQ(again.node(id).operands, g.node(id).operands);
    EXPECT_EQ(again.node(id).results, g.node(id).results);
    EXPECT_EQ(again.node(id).attributes.words, g.node(id).attributes.words);
  }
  EXPECT_EQ(again.assumptions(), g.assumptions());
}

Scalar literal(Number n) {
  Scalar s;
  s.literal = n;
  return s;
}

TEST(Print, IsTheDocumentedText) {
  Graph g;
  g.name = "pre";
  const Expr s0 = Expr::symbol(g.new_symbol());
  g.ranges.set_symbol(0, 2, 4096);
  const Value x = g.add_input({f32, {s0, 224}}, Layout{{1, s0}, 16});
  const Value y = g.add_input({f32, {224}});
  const NodeId sum = g.add(test_ops().add, {x, y}, {}, {"/home/me/model.cpp", 41});
  const NodeId parts = g.add(test_ops().split, {{sum, 0}}, {});
  g.node(parts).effect_order = 0;
  g.add_output({parts, 1});
  g.add_output(x);
  EXPECT_EQ(print(g),
            "graph \"pre\" on cpu {\n"
            "  symbols 1, s0 in [2,4096]\n"
            "  %0 f32 [s0,224] = input strides=[1,s0], offset=16\n"
            "  %1 f32 [224] = input\n"
            "  %2 f32 [s0,224] = test_add(%0, %1)\n"
            "  %3 f32 [s0,224], i64 [] = split(%2) effect=0\n"
            "  return %3.1, %0\n"
            "}\n");
  EXPECT_NE(print(g, true).find("test_add(%0, %1)  // model.cpp:41\n"), std::string::npos);
  EXPECT_EQ(print(parse(print(g, true))), print(g));
  expect_identity(g);
}

TEST(Print, EveryKindOfParameter) {
  Graph g;
  const Value x = g.add_input({u8, {3}});
  g.add(test_ops().everything, {x}, everything_attributes(7, literal(Number::of(0.5)), true));
  EXPECT_NE(print(g).find("everything(%0) flag=true, integer=-7, integers=[-1,2], dtype=bf16, mode=linear, "
                          "device=cuda:3, number=0.5, optional=true, extent=7, extents=[5,14]\n"),
            std::string::npos)
      << print(g);
  expect_identity(g);
}

TEST(Print, NumbersKeepEveryBit) {
  const double doubles[] = {0.0,
                            -0.0,
                            5.0,
                            0.1,
                            1e300,
                            -1e-300,
                            std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::nan(""),
                            -std::nan("7")};
  std::vector<Number> numbers;
  for (double v : doubles) numbers.push_back(Number::of(v));
  for (int64_t v : {int64_t{0}, int64_t{-5}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()})
    numbers.push_back(Number::of(v));
  numbers.push_back(Number::of(true));
  numbers.push_back(Number::of(false));
  for (const Number& n : numbers) {
    Graph g;
    const Value x = g.add_input({u8, {3}});
    const NodeId id = g.add(test_ops().everything, {x}, everything_attributes(1, literal(n), false));
    expect_identity(g);
    EXPECT_EQ(parse(print(g)).node(id).attributes, g.node(id).attributes) << print(g);
  }
}

TEST(Print, PromotedNumbersAndExtents) {
  for (const Number kind : {Number::of(1), Number::of(1.5), Number::of(true)}) {
    Graph g;
    g.set_symbol_count(3);
    Scalar number = literal({kind.kind, 0});
    number.symbol = 1;
    const Value x = g.add_input({u8, {Expr::symbol(0), ceildiv(Expr::symbol(2), 4)}});
    const NodeId id =
        g.add(test_ops().everything, {x}, everything_attributes(min(Expr::symbol(0), 9) + 1, number, true));
    expect_identity(g);
    EXPECT_EQ(parse(print(g)).node(id).attributes, g.node(id).attributes);
  }
}

TEST(Print, Subgraphs) {
  auto body = std::make_shared<Graph>();
  body->name = "then \"x\\\n";
  body->add_output(body->add_input({f32, {2}}));
  Graph g;
  const Value x = g.add_input({f32, {2}});
  const NodeId id = g.add(test_ops().add, {x, x}, {});
  g.node(id).subgraphs = {body, std::make_shared<Graph>()};
  g.add_output({id, 0});
  expect_identity(g);
  ASSERT_EQ(parse(print(g)).node(id).subgraphs.size(), 2u);
  EXPECT_EQ(parse(print(g)).node(id).subgraphs[0]->name, body->name);
}

TEST(Print, EverythingThatDiffersShows) {
  const auto base = [] {
    Graph g;
    g.set_symbol_count(2);
    g.add_input({f32, {Expr::symbol(0)}});
    g.add(test_ops().everything, {{0, 0}}, everything_attributes(3, literal(Number::of(1)), false));
    return g;
  };
  const std::string text = print(base());
  const auto differs = [&](auto change) {
    Graph g = base();
    change(g);
    return print(g) != text;
  };
  EXPECT_FALSE(differs([](Graph&) {}));
  EXPECT_TRUE(differs([](Graph& g) { g.name = "x"; }));
  EXPECT_TRUE(differs([](Graph& g) { g.device = Device::cuda(0); }));
  EXPECT_TRUE(differs([](Graph& g) { g.ranges.set_symbol(1, 2, 9); }));
  EXPECT_TRUE(differs([](Graph& g) { g.set_symbol_count(3); }));
  EXPECT_TRUE(differs([](Graph& g) { g.add_output({1, 0}); }));
  EXPECT_TRUE(differs([](Graph& g) { g.node(1).effect_order = 0; }));
  EXPECT_TRUE(differs([](Graph& g) { g.node(1).attributes.scalars[0].literal = Number::of(1.0); }));
  EXPECT_TRUE(differs([](Graph& g) { g.node(1).attributes.scalars[0].symbol = 1; }));
  EXPECT_TRUE(differs([](Graph& g) { g.node(1).attributes.scalars[1].expr = 4; }));
  // flag, integer, the two integers after their length, dtype, mode, device
  for (const auto& [word, value] :
       {std::pair(0, int64_t{0}), {1, 8}, {3, 1}, {4, 0}, {5, word_of(f16)}, {6, 0}, {7, word_of(Device::cuda(2))}})
    EXPECT_TRUE(differs([at = static_cast<size_t>(word), v = value](Graph& g) {
      g.node(1).attributes.words.at(at) = v;
    })) << word;
}

TEST(Parse, NamesTheLine) {
  test_ops();
  const std::pair<const char*, const char*> cases[] = {
      {"graph \"g\" on cpu {\n  %0 f32 [3] = nothing(%0)\n  return\n}\n", "line 2: there is no op nothing"},
      {"graph \"g\" on cpu {\n  %1 f32 [3] = input\n", "line 2: expected %0"},
      {"graph \"g\" on cpu {\n  %0 f33 [3] = input\n", "line 2: f33 is no dtype"},
      {"graph \"g\" on cpu {\n  %0 f32 [3] = input\n  %1 f32 [4] = test_add(%0)\n", "other types than %1"},
      {"graph \"g\" on cpu {\n  %0 f32 [3] = input\n  %1 f32 [3] = test_add(%1)\n", "%1.0 is not defined before"},
      {"graph \"g\" on cpu {\n  %0 f32 [3] = input\n  return %0\n}\nmore", "unexpected text"},
      {"graph g on cpu {", "expected a quoted name"},
      {"graph \"g\" on cpu {\n  symbols 1, s1 in [2,3]\n  return\n}\n", "expected a symbol of this graph"},
      {"", "expected 'graph'"},
  };
  for (const auto& [text, expected] : cases) {
    try {
      parse(text);
      ADD_FAILURE() << text;
    } catch (const CompileError& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  }
}

TEST(Dot, HasNodesEdgesAndClusters) {
  Graph g;
  const Value x = g.add_input({f32, {2}});
  const NodeId parts = g.add(test_ops().split, {x}, {});
  const NodeId sum = g.add(test_ops().add, {{parts, 0}, x}, {});
  auto body = std::make_shared<Graph>();
  body->name = "body";
  body->add_input({f32, {}});
  g.node(sum).subgraphs = {body};
  g.add_output({sum, 0});
  const std::string dot = to_dot(g);
  EXPECT_NE(dot.find("n1 -> n2 [label=\"0\"];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n0 -> n2;"), std::string::npos);
  EXPECT_NE(dot.find("n2 [label=\"test_add\\nf32 [2]\", shape=box, peripheries=2];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("subgraph cluster_n2_0_"), std::string::npos);
  EXPECT_NE(dot.find("n2_0_n0 [label=\"input\\nf32 []\""), std::string::npos) << dot;
}

}  // namespace
}  // namespace sinter::graph
