// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/backend.h>

#include "src/compiler/recorded_graph.h"

namespace sinter {
namespace {

struct ValueText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(int64_t v) const { return fmt::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{:#}", v); }
  std::string operator()(const Dims& v) const { return v.text(); }
  std::string operator()(DType v) const { return std::string(v.name()); }
  std::string operator()(Device v) const { return v.text(); }
  std::string operator()(const std::string& v) const { return v; }
};

std::string list(const std::vector<int>& values) {
  std::string s;
  for (int v : values) s += fmt::format("{}%{}", s.empty() ? "" : ", ", v);
  return s;
}

std::string op_text(const RecordedGraph& g, const RecordedOp& op) {
  std::string s = " ";
  for (size_t i = 0; i < op.results.size(); ++i) {
    const RecordedValue& v = g.values.at(static_cast<size_t>(op.results[i]));
    s += fmt::format("{} %{} {} {}", i == 0 ? "" : ",", op.results[i], v.dtype.name(), v.shape.text());
  }
  s += fmt::format(" = {}({})", op.name, list(op.operands));
  for (size_t i = 0; i < op.attributes.size(); ++i)
    s += fmt::format("{} {}={}", i == 0 ? "" : ",", op.attributes[i].name,
                     std::visit(ValueText{}, op.attributes[i].value));
  if (const std::string line = op.line.text(); !line.empty()) s += "   // " + line;
  return s + "\n";
}

}  // namespace

const AttributeValue& RecordedOp::attribute(std::string_view wanted) const {
  return compiler::attribute_named(wanted, attributes, name, line);
}

std::string RecordedGraph::text() const {
  std::string s = fmt::format("graph {} on {}\n", name, device.text());
  for (int i : inputs) {
    const RecordedValue& v = values.at(static_cast<size_t>(i));
    s += fmt::format("  %{} {} {} = input strides={}\n", i, v.dtype.name(), v.shape.text(), v.strides.text());
  }
  for (const RecordedOp& op : ops) s += op_text(*this, op);
  return s + fmt::format("  return {}\n", list(outputs));
}

}  // namespace sinter
