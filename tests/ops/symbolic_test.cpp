// SPDX-License-Identifier: Apache-2.0
// Every sampled call with its extents and numbers promoted to symbols: the type rule must accept it under assumptions
// that hold, the reference must give the same shapes and bits, and the lowered loops the same bits again.
#include <gtest/gtest.h>

#include <map>

#include "src/graph/registry.h"
#include "src/loop/evaluate.h"
#include "src/lower/lower.h"
#include "src/ops/ops.h"
#include "src/passes/decompose.h"
#include "src/reference/evaluate_call.h"
#include "src/reference/interpret.h"
#include "tests/ops/build.h"
#include "tests/ops/golden.h"
#include "tests/ops/operands.h"

namespace sinter {
namespace {

using reference::Array;

/// A sampled call in which every extent of 2 or more is a symbol (one per value, as promotion shares symbols of words
/// that changed alike) and every number is one.
struct Promoted {
  graph::Graph graph;
  std::vector<int64_t> values;  ///< of the symbols
  std::map<int64_t, int> extents;

  graph::Expr extent(int64_t literal) {
    if (literal < 2) return literal;
    const auto [found, is_new] = extents.try_emplace(literal, static_cast<int>(values.size()));
    if (is_new) {
      values.push_back(literal);
      graph.ranges.set_symbol(graph.new_symbol(), 2, int64_t{1} << 40);
    }
    return graph::Expr::symbol(found->second);
  }
  void promote(graph::Scalar& s) {
    if (s.is_extent) {
      s.expr = extent(s.expr.constant().value());
      return;
    }
    s.symbol = graph.new_symbol();
    values.push_back(s.literal.bits);
    s.literal.bits = 0;
  }
};

Promoted promote(const graph::OpDef& op, const graph::SampleCall& call) {
  Promoted p;
  std::vector<graph::Value> operands;
  for (const graph::ValueType& t : call.operands) {
    graph::ValueType symbolic{t.dtype, {}};
    for (const graph::Expr& e : t.shape) symbolic.shape.push_back(p.extent(e.constant().value()));
    operands.push_back(p.graph.add_input(std::move(symbolic)));
  }
  graph::Attributes attributes = call.attributes;
  for (graph::Scalar& s : attributes.scalars) p.promote(s);
  graph::NodeId result = p.graph.add(op, operands, std::move(attributes));
  if (op.scatter != nullptr) result = p.graph.add(*graph::find_op("clone"), {{result, 0}}, {});  // a view has no kernel
  p.graph.add_output({result, 0});
  return p;
}

bool assumptions_hold(const Promoted& p) {
  const auto value = [&](graph::Expr leaf) { return p.values[static_cast<size_t>(leaf.id())]; };
  for (const auto& [a, b] : p.graph.assumptions())
    if (graph::evaluate(a, value) != graph::evaluate(b, value)) return false;
  return true;
}

void expect_same(const Array& expected, const Array& got, const std::string& where) {
  ASSERT_EQ(expected.dtype, got.dtype) << where;
  ASSERT_EQ(expected.shape, got.shape) << where;
  for (int64_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(golden::close(expected.at(i).dtype, expected.at(i).bits, got.at(i).bits, 0))
        << where << ", element " << i << ": " << scalar::as_double(expected.at(i)) << " against "
        << scalar::as_double(got.at(i));
}

/// The lowered loops, run by their evaluator.
Array run_loops(const graph::Graph& g, const std::vector<int64_t>& values, std::vector<Array> operands,
                const Array& expected) {
  loop::Program program = lower::lower(passes::decompose(g), {});
  // Accesses are linear addresses once axes are collapsed; all operands are dense.
  for (loop::Buffer& b : program.buffers) {
    b.shape = {graph::product(b.shape)};
    b.strides = {1};
  }
  Array result = Array::zeros(expected.dtype, expected.shape);
  std::vector<loop::HostMemory> inputs;
  for (Array& a : operands) inputs.push_back({a.data.data(), a.size()});
  const loop::HostMemory output{result.data.data(), result.size()};
  loop::evaluate(program, inputs, {&output, 1}, values, reference::evaluate_call);
  return result;
}

class Symbolic : public testing::TestWithParam<const graph::OpDef*> {};

TEST_P(Symbolic, GivesTheLiteralsBits) {
  const graph::OpDef& op = *GetParam();
  int promoted = 0;
  for (int variant = 0; const auto call = op.sample(variant); ++variant) {
    const std::string where = std::string(op.name) + ", sample " + std::to_string(variant);
    SCOPED_TRACE(where);
    const auto operands = test::sampled_operands(*call, static_cast<uint64_t>(variant));
    const Array expected = reference::interpret(test::one_op(op, call->operands, call->attributes), operands).at(0);
    const Promoted p = promote(op, *call);
    if (!assumptions_hold(p)) continue;  // such a call keeps its literals
    ++promoted;
    expect_same(expected, reference::interpret(p.graph, operands, p.values).at(0), where);
    if (op.op_class != graph::OpClass::view || op.scatter != nullptr)
      expect_same(expected, run_loops(p.graph, p.values, operands, expected), where);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(promoted, 5);
}

std::vector<const graph::OpDef*> every_op() {
  ops::register_all_ops();
  return {graph::all_ops().begin(), graph::all_ops().end()};
}

INSTANTIATE_TEST_SUITE_P(AllOps, Symbolic, testing::ValuesIn(every_op()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace sinter
