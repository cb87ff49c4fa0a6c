// SPDX-License-Identifier: Apache-2.0
#include "src/reference/interpret.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include "src/graph/registry.h"
#include "src/reference/bind.h"

namespace sinter::reference {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

void require(bool ok, const std::string& what) {
  if (!ok) throw CompileError("reference: " + what);
}

bool fits(const Array& a, DType dtype, const Dims& shape) {
  return a.dtype == dtype && a.shape == shape &&
         a.data.size() == static_cast<size_t>(shape.product()) * static_cast<size_t>(dtype.bytes());
}

std::string describe(DType dtype, const Dims& shape) { return fmt::format("{} {}", dtype.name(), shape.text()); }

/// The node's decomposition, as a graph over its operands.
std::vector<Array> interpret_decomposition(const Node& node, std::span<const Array> operands) {
  Graph g;
  Node call = node;
  call.operands.clear();
  for (const Array& a : operands) {
    std::vector<graph::Expr> shape(a.shape.begin(), a.shape.end());
    call.operands.push_back(g.add_input({a.dtype, std::move(shape)}));
  }
  for (graph::Value v : node.op->decompose(g, call)) g.add_output(v);
  return interpret(g, operands);
}

void check_assumptions(const Graph& g, const Binding& binding) {
  for (const auto& [a, b] : g.assumptions())
    require(binding.value(a) == binding.value(b), fmt::format("{} and {} are not equal", a.text(), b.text()));
}

/// The node after which no other one, and no output, needs a node's results.
std::vector<NodeId> last_uses(const Graph& g) {
  std::vector<NodeId> last(static_cast<size_t>(g.size()), -1);
  for (NodeId id = 0; id < g.size(); ++id)
    for (graph::Value v : g.node(id).operands) last[static_cast<size_t>(v.node)] = id;
  for (graph::Value v : g.outputs()) last[static_cast<size_t>(v.node)] = g.size();
  return last;
}

}  // namespace

std::vector<Array> interpret_node(const Node& node, std::span<const Array> operands) {
  require(node.op->reference || node.op->decompose, fmt::format("{} has no reference", node.op->name));
  std::vector<Array> results =
      node.op->reference ? node.op->reference(node, operands) : interpret_decomposition(node, operands);
  require(results.size() == node.results.size(), fmt::format("{} gives {} results", node.op->name, results.size()));
  const Binding none({});
  for (size_t i = 0; i < results.size(); ++i) {
    const Dims shape = none.shape(node.results[i]);
    require(fits(results[i], node.results[i].dtype, shape),
            fmt::format("{} gives {}, not {}", node.op->name, describe(results[i].dtype, results[i].shape),
                        describe(node.results[i].dtype, shape)));
  }
  return results;
}

std::vector<Array> interpret(const Graph& g, std::span<const Array> inputs, std::span<const int64_t> symbols,
                             const AfterNode& after) {
  require(symbols.size() == static_cast<size_t>(g.symbol_count()),
          fmt::format("{} values for {} symbols", symbols.size(), g.symbol_count()));
  require(inputs.size() == g.inputs().size(), fmt::format("{} inputs, not {}", inputs.size(), g.inputs().size()));
  const Binding binding(symbols);
  check_assumptions(g, binding);
  std::vector<std::vector<Array>> results(static_cast<size_t>(g.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::ValueType& type = g.type(g.inputs()[i]);
    const Dims shape = binding.shape(type);
    require(fits(inputs[i], type.dtype, shape),
            fmt::format("input {} is {}, not {}", i, describe(inputs[i].dtype, inputs[i].shape),
                        describe(type.dtype, shape)));
    results[static_cast<size_t>(g.inputs()[i].node)] = {inputs[i]};
  }
  const auto value = [&](graph::Value v) -> const Array& {
    return results[static_cast<size_t>(v.node)][static_cast<size_t>(v.result)];
  };
  const std::vector<NodeId> last = last_uses(g);
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& node = g.node(id);
    if (node.op == nullptr) continue;
    std::vector<Array> operands;
    for (graph::Value v : node.operands) operands.push_back(value(v));
    results[static_cast<size_t>(id)] = interpret_node(binding.literal(node), operands);
    if (after) after(node, operands, results[static_cast<size_t>(id)]);
    for (graph::Value v : node.operands)
      if (last[static_cast<size_t>(v.node)] == id) results[static_cast<size_t>(v.node)].clear();
  }
  std::vector<Array> outputs;
  for (graph::Value v : g.outputs()) outputs.push_back(value(v));
  return outputs;
}

}  // namespace sinter::reference
