// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

constexpr int max_variants = 400;
constexpr int64_t max_elements = 4096;

int64_t elements(const graph::ValueType& t) {
  int64_t n = 1;
  for (graph::Expr e : t.shape) n *= *e.constant();
  return n;
}

/// Sampled operands, clipped to indices and the like by the sampler's range.
reference::Array operand(const graph::ValueType& t, const graph::SampleCall& call, uint64_t seed) {
  Dims shape;
  for (graph::Expr e : t.shape) shape.push_back(*e.constant());
  reference::Array a = random_values(t.dtype, shape, seed);
  const DType compute = scalar::compute_type(t.dtype);
  for (int64_t i = 0; i < a.size(); ++i) {
    const double v = scalar::as_double(a.at(i));
    const double clipped = t.dtype.is_boolean() ? v : std::min(std::max(v, call.low), call.high);
    a.set(i, reference::rounded(scalar::constant_of(compute, clipped), t.dtype));
  }
  return a;
}

// Each op alone: the loop evaluator gives the reference's bits, before and after the axes are collapsed.
TEST(LowerAllOps, LoopsGiveTheReferenceBits) {
  ops::register_all_ops();
  int cases = 0;
  for (const graph::OpDef* op : graph::all_ops())
    for (int variant = 0; variant < max_variants; ++variant) {
      const auto call = op->sample(variant);
      if (!call) break;
      graph::Graph g;
      std::vector<graph::Value> operands;
      std::vector<reference::Array> inputs;
      for (const graph::ValueType& t : call->operands) {
        operands.push_back(g.add_input(t));
        inputs.push_back(operand(t, *call, static_cast<uint64_t>(variant) + inputs.size()));
      }
      const graph::NodeId id = g.add(*op, operands, call->attributes);
      g.add_output({id, 0});
      if (elements(g.type({id, 0})) > max_elements) continue;
      const auto expected = reference::interpret(g, inputs);
      for (bool collapsed : {false, true}) {
        const auto got = run(lowered(g, {}, collapsed), g, inputs);
        ++cases;
        ASSERT_EQ(first_difference(expected[0], got[0]), "") << op->name << " #" << variant;
      }
    }
  EXPECT_GT(cases, 2000);
}

}  // namespace
}  // namespace sinter::test
