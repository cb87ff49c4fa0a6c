// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/recorded_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/graph/recorder.h"
#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "src/reference/bind.h"

namespace sinter::compiler {
namespace {

const graph::OpDef& op_named(const std::string& name, SourceLine line) {
  ops::register_all_ops();
  const graph::OpDef* op = graph::find_op(name);
  if (op == nullptr) throw UserError({name, "there is no such op", line, {}, {}});
  return *op;
}

void check_operand_count(const graph::OpDef& op, size_t count, SourceLine line) {
  const auto n = static_cast<int>(count);
  if (n < op.min_operands || (op.max_operands >= 0 && n > op.max_operands))
    throw UserError({std::string(op.name), fmt::format("cannot take {} operands", n), line, {}, {}});
}

/// Builds a graph from the public form.
class Rebuilder {
 public:
  explicit Rebuilder(const RecordedGraph& r) : recorded_(r), values_(r.values.size()) {}

  graph::Graph run() {
    graph_.name = recorded_.name;
    graph_.device = recorded_.device;
    for (int v : recorded_.inputs) add_input(v);
    for (const RecordedOp& op : recorded_.ops) add_op(op);
    for (int v : recorded_.outputs) graph_.add_output(defined(v, "graph", {}));
    return std::move(graph_);
  }

 private:
  const RecordedValue& value(int v, const std::string& user, SourceLine line) const {
    if (v < 0 || static_cast<size_t>(v) >= values_.size())
      throw UserError({user, fmt::format("%{} is no value of the graph", v), line, {}, {}});
    return recorded_.values[static_cast<size_t>(v)];
  }
  graph::Value defined(int v, const std::string& user, SourceLine line) const {
    (void)value(v, user, line);
    const graph::Value at = values_[static_cast<size_t>(v)];
    if (at.node < 0) throw UserError({user, fmt::format("%{} is used before an op gives it", v), line, {}, {}});
    return at;
  }

  void add_input(int v) {
    const RecordedValue& in = value(v, "graph", {});
    if (in.shape.size() != in.strides.size())
      throw UserError(fmt::format("graph \"{}\": input %{} has no stride for every dim", recorded_.name, v));
    graph::Layout layout;
    for (int64_t s : in.strides) layout.strides.emplace_back(s);
    values_[static_cast<size_t>(v)] = graph_.add_input(type_of(in), std::move(layout));
  }

  void add_op(const RecordedOp& r) {
    const graph::OpDef& op = op_named(r.name, r.line);
    check_operand_count(op, r.operands.size(), r.line);
    std::vector<graph::Value> operands;
    for (int v : r.operands) operands.push_back(defined(v, r.name, r.line));
    const graph::NodeId id = graph_.add(op, std::move(operands), attributes_of(op, r.attributes, r.line), r.line);
    if (graph_.node(id).results.size() != r.results.size())
      throw UserError({r.name,
                       fmt::format("gives {} results, not {}", graph_.node(id).results.size(), r.results.size()),
                       r.line,
                       {},
                       {}});
    for (size_t i = 0; i < r.results.size(); ++i) add_result(r, i, {id, static_cast<int32_t>(i)});
  }

  void add_result(const RecordedOp& r, size_t i, graph::Value result) {
    const RecordedValue& expected = value(r.results[i], r.name, r.line);
    const graph::ValueType& type = graph_.type(result);
    if (type != type_of(expected))
      throw UserError(
          {r.name,
           fmt::format("gives {} {}; the graph says {} {}", type.dtype.name(),
                       reference::Binding({}).shape(type).text(), expected.dtype.name(), expected.shape.text()),
           r.line,
           {},
           {}});
    values_[static_cast<size_t>(r.results[i])] = result;
  }

  static graph::ValueType type_of(const RecordedValue& v) { return {v.dtype, {v.shape.begin(), v.shape.end()}}; }

  const RecordedGraph& recorded_;
  graph::Graph graph_;
  std::vector<graph::Value> values_;
};

}  // namespace

RecordedGraph recorded_graph(const graph::Graph& g) {
  RecordedGraph r;
  r.name = g.name;
  r.device = g.device;
  const reference::Binding literal({});
  std::vector<int> first(static_cast<size_t>(g.size()));  // index of each node's first result
  const auto index = [&](graph::Value v) { return first[static_cast<size_t>(v.node)] + v.result; };
  for (graph::NodeId id = 0; id < g.size(); ++id) {
    const graph::Node& node = g.node(id);
    first[static_cast<size_t>(id)] = static_cast<int>(r.values.size());
    for (const graph::ValueType& t : node.results) r.values.push_back({t.dtype, literal.shape(t), {}});
    if (node.op == nullptr) continue;
    RecordedOp op;
    op.name = node.op->name;
    for (graph::Value v : node.operands) op.operands.push_back(index(v));
    for (size_t i = 0; i < node.results.size(); ++i) op.results.push_back(index({id, static_cast<int32_t>(i)}));
    op.attributes = recorded_attributes(*node.op, node.attributes);
    op.line = node.line;
    r.ops.push_back(std::move(op));
  }
  for (size_t i = 0; i < g.inputs().size(); ++i) {
    r.inputs.push_back(index(g.inputs()[i]));
    for (graph::Expr e : g.input_layout(i).strides)
      r.values[static_cast<size_t>(r.inputs.back())].strides.push_back(literal.value(e));
  }
  for (graph::Value v : g.outputs()) r.outputs.push_back(index(v));
  return r;
}

graph::Graph graph_of(const RecordedGraph& recorded) { return Rebuilder(recorded).run(); }

}  // namespace sinter::compiler

namespace sinter {

std::vector<Tensor> run_op(const RecordedOp& r, std::span<const Tensor> operands) {
  const graph::OpDef& op = compiler::op_named(r.name, r.line);
  compiler::check_operand_count(op, operands.size(), r.line);
  const auto attributes = graph::CallAttributes::of(compiler::attributes_of(op, r.attributes, r.line));
  std::vector<const Tensor*> addresses;
  for (const Tensor& t : operands) addresses.push_back(&t);
  return {graph::current_recorder().call({&op, addresses, &attributes, r.line})};
}

}  // namespace sinter
