// SPDX-License-Identifier: Apache-2.0
// Every op's lowering and decomposition against its reference, over the op's own samples.
#include <gtest/gtest.h>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "src/reference/elementwise.h"
#include "src/reference/interpret.h"
#include "tests/ops/build.h"
#include "tests/ops/golden.h"
#include "tests/ops/operands.h"

namespace sinter {
namespace {

using reference::Array;

/// Equal bits, but for the payload of NaN.
void expect_equal(const Array& expected, const Array& got, const std::string& where) {
  ASSERT_EQ(expected.dtype, got.dtype) << where;
  ASSERT_EQ(expected.shape, got.shape) << where;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const scalar::Constant a = expected.at(i), b = got.at(i);
    ASSERT_TRUE(golden::close(a.dtype, a.bits, b.bits, 0))
        << where << ", element " << i << ": " << scalar::as_double(a) << " against " << scalar::as_double(b);
  }
}

class Lowering : public testing::TestWithParam<const graph::OpDef*> {};

TEST_P(Lowering, AgreesWithTheReference) {
  const graph::OpDef& op = *GetParam();
  for (int variant = 0; const auto call = op.sample(variant); ++variant) {
    const auto operands = test::sampled_operands(*call, static_cast<uint64_t>(variant));
    const graph::Graph g = test::one_op(op, call->operands, call->attributes);
    const graph::Node& node = g.node(g.size() - 1);
    const Array expected = op.reference(node, operands).at(0);
    const std::string where = std::string(op.name) + ", sample " + std::to_string(variant);
    if (op.lower) expect_equal(expected, reference::elementwise(node, operands).at(0), where);
    if (op.decompose) {
      graph::Graph parts;
      graph::Node copy = node;
      copy.operands.clear();
      for (const graph::ValueType& t : call->operands) copy.operands.push_back(parts.add_input(t));
      parts.set_outputs(op.decompose(parts, copy));
      ASSERT_EQ(parts.type(parts.outputs()[0]), node.results[0]) << where;
      expect_equal(expected, reference::interpret(parts, operands).at(0), where);
    }
    if (HasFatalFailure()) return;
  }
}

std::vector<const graph::OpDef*> lowered_ops() {
  ops::register_all_ops();
  std::vector<const graph::OpDef*> list;
  for (const graph::OpDef* op : graph::all_ops())
    if (op->lower || op->decompose) list.push_back(op);
  return list;
}

INSTANTIATE_TEST_SUITE_P(AllOps, Lowering, testing::ValuesIn(lowered_ops()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace sinter
