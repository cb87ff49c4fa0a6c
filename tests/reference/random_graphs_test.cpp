// SPDX-License-Identifier: Apache-2.0
//
// Random graphs of the library's ops: what verifies prints, what prints parses, and what was parsed computes the same.
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <random>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"

namespace sinter::reference {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpDef;
using graph::SampleCall;
using graph::Value;
using graph::ValueType;

constexpr int64_t largest_value = 2048;

/// Every op's sample calls.
struct Calls {
  const OpDef* op;
  std::vector<SampleCall> samples;
};

const std::vector<Calls>& all_calls() {
  static const std::vector<Calls> all = [] {
    ops::register_all_ops();
    std::vector<Calls> calls;
    for (const OpDef* op : graph::all_ops()) {
      Calls c{op, {}};
      for (int variant = 0; op->sample; ++variant) {
        auto sample = op->sample(variant);
        if (!sample) break;
        c.samples.push_back(std::move(*sample));
      }
      calls.push_back(std::move(c));
    }
    return calls;
  }();
  return all;
}

void expect_identity(const Graph& g) {
  graph::verify(g);
  const std::string text = graph::print(g);
  const Graph again = graph::parse(text);
  ASSERT_EQ(graph::print(again), text);
  ASSERT_EQ(again.size(), g.size());
  for (NodeId id = 0; id < g.size(); ++id) ASSERT_EQ(again.node(id).attributes, g.node(id).attributes) << text;
  ASSERT_EQ(again.assumptions(), g.assumptions());
}

TEST(EveryOp, PrintsAndParsesItsSamples) {
  size_t count = 0;
  for (const Calls& calls : all_calls())
    for (const SampleCall& sample : calls.samples) {
      SCOPED_TRACE(calls.op->name);
      Graph g;
      std::vector<Value> operands;
      for (const ValueType& t : sample.operands) operands.push_back(g.add_input(t));
      g.add_output({g.add(*calls.op, operands, sample.attributes), 0});
      ASSERT_NO_FATAL_FAILURE(expect_identity(g));
      ++count;
    }
  EXPECT_GT(count, 500u);
}

class RandomGraph {
 public:
  RandomGraph(unsigned seed, bool symbolic) : random_(seed) {
    const Expr n = symbolic ? Expr::symbol(graph_.new_symbol()) : Expr(3),
               m = symbolic ? Expr::symbol(graph_.new_symbol()) : Expr(5);
    for (int i = 0; i < graph_.symbol_count(); ++i) graph_.ranges.set_symbol(i, 2, 64);
    for (const auto& shape : std::vector<std::vector<Expr>>{{n, m}, {m}, {}, {2, n, 1}, {n, m}})
      pool_.push_back(graph_.add_input({all_dtypes[pick(std::size(all_dtypes))], shape}));
  }

  /// Adds a call of a random op to random values; false if the op does not take them.
  bool grow() {
    const Calls& calls = all_calls()[pick(all_calls().size())];
    if (calls.samples.empty()) return false;
    const SampleCall& sample = calls.samples[pick(calls.samples.size())];
    std::vector<Value> operands;
    for (size_t i = 0; i < sample.operands.size(); ++i) operands.push_back(pool_[pick(pool_.size())]);
    NodeId id;
    try {
      id = graph_.add(*calls.op, operands, sample.attributes);
    } catch (const UserError&) {
      return false;
    }
    for (const ValueType& t : graph_.node(id).results) {
      const auto elements = graph::product(t.shape).constant();
      if (elements && *elements > largest_value) return true;  // stays in the graph, but nothing grows from it
    }
    pool_.push_back({id, 0});
    return true;
  }

  Graph finish() {
    for (int i = 0; i < 3; ++i) graph_.add_output(pool_[pool_.size() - 1 - pick(std::min<size_t>(pool_.size(), 4))]);
    return graph_;
  }
  size_t pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

 private:
  std::mt19937 random_;
  Graph graph_;
  std::vector<Value> pool_;
};

Graph random_graph(unsigned seed, bool symbolic) {
  RandomGraph random(seed, symbolic);
  int nodes = 0;
  for (int attempts = 0; nodes < 25 && attempts < 2000; ++attempts) nodes += random.grow() ? 1 : 0;
  EXPECT_GE(nodes, 10) << "seed " << seed;
  return random.finish();
}

TEST(RandomGraphs, PrintParsePrintIsTheIdentity) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_identity(random_graph(seed, seed % 2 == 1)));
  }
}

TEST(RandomGraphs, ParsedGraphsComputeTheSameBits) {
  int computed = 0;
  for (unsigned seed = 1000; seed < 1040; ++seed) {
    SCOPED_TRACE(seed);
    const Graph g = random_graph(seed, false);
    std::mt19937 random(seed);
    std::vector<Array> inputs;
    for (Value v : g.inputs()) {
      Dims shape;
      for (Expr e : g.type(v).shape) shape.push_back(*e.constant());
      std::vector<double> values(static_cast<size_t>(shape.product()));
      for (double& x : values) x = std::uniform_real_distribution<double>(0, 3)(random);
      inputs.push_back(Array::of(g.type(v).dtype, shape, values));
    }
    std::vector<Array> expected;
    try {
      expected = interpret(g, inputs);
    } catch (const UserError&) {
      continue;  // an index out of range
    }
    ASSERT_EQ(interpret(graph::parse(graph::print(g)), inputs), expected);
    ++computed;
  }
  EXPECT_GE(computed, 10);
}

}  // namespace
}  // namespace sinter::reference
