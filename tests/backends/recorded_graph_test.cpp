// SPDX-License-Identifier: Apache-2.0
// The public form of a graph: every op goes there and back, and what is no graph is refused.
#include <gtest/gtest.h>
#include <sinter/backend.h>

#include "src/compiler/recorded_graph.h"
#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tests/capture/support.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

TEST(RecordedGraphs, EveryOpGoesThereAndBack) {
  ops::register_all_ops();
  int cases = 0;
  for (const graph::OpDef* op : graph::all_ops())
    for (int variant = 0; op->sample(variant) && variant < 40; ++variant, ++cases) {
      const auto c = op_case(*op, variant);
      const RecordedGraph recorded = compiler::recorded_graph(c->graph);
      ASSERT_EQ(graph::print(compiler::graph_of(recorded)), graph::print(c->graph)) << c->name;
    }
  EXPECT_GT(cases, 1000);
}

/// y = add(x, 1), f32 [3].
RecordedGraph plus_one() {
  RecordedGraph g;
  g.name = "plus";
  g.device = Device::cpu();
  g.values = {{f32, {3}, {1}}, {f32, {3}, {}}};
  g.inputs = {0};
  g.ops = {{"add", {0}, {1}, {{"lhs", std::monostate()}, {"rhs", int64_t{1}}}, {}}};
  g.outputs = {1};
  return g;
}

template <class Change>
std::string refused(const Change& change) {
  RecordedGraph g = plus_one();
  change(g);
  return refusal<UserError>([&] { (void)compile_graph(g); });
}

TEST(RecordedGraphs, AGraphMadeByHandRuns) {
  const GraphFunction f = compile_graph(plus_one());
  const Tensor x = counting({3});
  EXPECT_EQ(to_vector<float>(f({&x, 1})[0]), (std::vector<float>{1, 2, 3}));
  for (const char* backend : {"eager", "reference"})
    EXPECT_EQ(to_vector<float>(compile_graph(plus_one(), backend)({&x, 1})[0]), (std::vector<float>{1, 2, 3}));
}

TEST(RecordedGraphs, WhatIsNoGraphIsRefused) {
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.ops[0].name = "ad"; }), "[ad] there is no such op"));
  EXPECT_TRUE(
      contains(refused([](RecordedGraph& g) { g.ops[0].operands = {1}; }), "[add] %1 is used before an op gives it"));
  EXPECT_TRUE(
      contains(refused([](RecordedGraph& g) { g.ops[0].operands = {2}; }), "[add] %2 is no value of the graph"));
  EXPECT_TRUE(
      contains(refused([](RecordedGraph& g) { g.ops[0].operands = {0, 0, 0}; }), "[add] cannot take 3 operands"));
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.values[1].shape = {4}; }),
                       "[add] gives f32 [3]; the graph says f32 [4]"));
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.ops[0].results = {}; }), "[add] gives 1 results, not 0"));
  EXPECT_TRUE(
      contains(refused([](RecordedGraph& g) { g.values[0].strides = {}; }), "input %0 has no stride for every dim"));
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.outputs = {-1}; }), "[graph] %-1 is no value of the graph"));
  EXPECT_TRUE(
      contains(refused([](RecordedGraph& g) { g.ops[0].attributes.pop_back(); }), "[add] has no attribute rhs"));
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.ops[0].attributes[1].name = "alpha"; }),
                       "[add] has no attribute alpha"));
  EXPECT_TRUE(contains(refused([](RecordedGraph& g) { g.ops[0].attributes[1].value = Dims{1}; }),
                       "[add] attribute rhs is a list of integers; expected a number"));
  EXPECT_TRUE(
      contains(refusal<UserError>([] { (void)compile_graph(plus_one(), "none"); }), "unknown backend \"none\""));
}

TEST(RecordedGraphs, InputsThatDoNotFitAreRefused) {
  const GraphFunction f = compile_graph(plus_one());
  const auto why = [&](std::vector<Tensor> inputs) { return refusal<UserError>([&] { (void)f(inputs); }); };
  EXPECT_TRUE(contains(why({}), "graph \"plus\": 0 inputs, not 1"));
  EXPECT_TRUE(contains(why({counting({4})}), "input 0 is f32 [4] on cpu"));
  EXPECT_TRUE(contains(why({Tensor()}), "the tensor is undefined"));
  EXPECT_TRUE(
      contains(why({select(counting({3, 2}), 1, 0)}), "with strides [2]; expected f32 [3] on cpu with strides [1]"));
}

TEST(RecordedGraphs, AnOpRunsByName) {
  const RecordedOp op{"sum", {}, {}, {{"dims", Dims{1}}, {"keepdim", false}, {"dtype", std::monostate()}}, {}};
  const std::string why = refusal<UserError>([&] { (void)run_op(op, std::vector<Tensor>{}); });
  EXPECT_TRUE(contains(why, "[sum] cannot take 0 operands")) << why;
}

}  // namespace
}  // namespace sinter::test
