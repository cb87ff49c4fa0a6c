// SPDX-License-Identifier: Apache-2.0
#include "src/graph/graph.h"

#include "src/graph/text.h"

namespace sinter::graph {

Value Graph::add_input(ValueType type, std::optional<Layout> layout, SourceLine line) {
  if (!layout) layout = contiguous_layout(type.shape);
  Node n;
  n.results.push_back(std::move(type));
  n.line = line;
  nodes_.push_back(std::move(n));
  const Value v{size() - 1, 0};
  inputs_.push_back(v);
  layouts_.push_back(std::move(*layout));
  return v;
}

NodeId Graph::add(const OpDef& op, std::vector<Value> operands, Attributes attributes, SourceLine line) {
  std::vector<ValueType> types;
  for (Value v : operands) types.push_back(type(v));
  InferContext context(op, types, attributes, line);
  const int n = static_cast<int>(operands.size());
  if (n < op.min_operands || (op.max_operands >= 0 && n > op.max_operands))
    context.fail("wrong number of operands: " + std::to_string(n));
  Node node;
  node.results = op.infer(context);
  node.op = &op;
  node.operands = std::move(operands);
  node.attributes = std::move(attributes);
  node.line = line;
  assumptions_.insert(assumptions_.end(), context.assumptions().begin(), context.assumptions().end());
  nodes_.push_back(std::move(node));
  return size() - 1;
}

}  // namespace sinter::graph
