// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/build.h"

#include "src/ops/dispatch.h"

namespace sinter::test {

graph::Graph one_op(const graph::OpDef& op, const std::vector<graph::ValueType>& operands,
                    const graph::Attributes& attributes) {
  graph::Graph g;
  std::vector<graph::Value> values;
  for (const graph::ValueType& t : operands) values.push_back(g.add_input(t));
  const graph::NodeId node = g.add(op, values, attributes);
  for (size_t i = 0; i < g.node(node).results.size(); ++i) g.add_output({node, static_cast<int32_t>(i)});
  return g;
}

graph::Graph one_op(std::string_view op, const std::vector<graph::ValueType>& operands,
                    const graph::CallAttributes& attributes) {
  return one_op(ops::registered_op(op), operands, graph::literal_attributes(attributes));
}

graph::ValueType type(DType dtype, const Dims& shape) {
  graph::ValueType t{dtype, {}};
  for (int64_t d : shape) t.shape.emplace_back(d);
  return t;
}

std::string refusal(std::string_view op, const std::vector<graph::ValueType>& operands,
                    const graph::CallAttributes& attributes) {
  try {
    one_op(op, operands, attributes);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace sinter::test
