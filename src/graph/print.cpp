// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>


#include "src/graph/registry.h"

namespace sinter::graph {
namespace {

std::string list(const std::vector<Expr>& e) {
  std::string s = "[";
  for (size_t i = 0; i < e.size(); ++i) s += (i ? "," : "") + e[i].text();
  return s + "]";
}

std::string type_text(const ValueType& t) { return fmt::format("{} {}", t.dtype.name(), list(t.shape)); }

std::string number_text(const Scalar& s) {
  const char kind = s.literal.kind == Number::Kind::boolean ? 'b' : s.literal.kind == Number::Kind::integer ? 'i' : 'f';
  if (s.symbol >= 0) return fmt::format("{}:s{}", kind, s.symbol);
  if (kind != 'f') return fmt::format("{}:{}", kind, s.literal.bits);
  const double v = s.literal.as_double();
  return v == v && v - v == 0 ? fmt::format("f:{}", v) : fmt::format("f:bits{}", static_cast<uint64_t>(s.literal.bits));
}

std::string parameter(const Param& p, AttributeReader& r) {
  switch (p.kind) {
    case ParamKind::flag: return r.flag() ? "true" : "false";
    case ParamKind::integer: return fmt::format("{}", r.integer());
    case ParamKind::integers: return r.integers().text();
    case ParamKind::dtype: return std::string(r.dtype().name());
    case ParamKind::enumeration: return std::string(p.names.at(static_cast<size_t>(r.integer())));
    case ParamKind::device: return r.device().text();
    case ParamKind::number: return number_text(r.number());
    case ParamKind::optional_number: return r.flag() ? number_text(r.number()) : "none";
    case ParamKind::extent: return r.extent().text();
    case ParamKind::extents: return list(r.extents());
  }
  return "?";
}

std::string name(const Graph& g, Value v) {
  const bool several = g.node(v.node).results.size() > 1;
  return several ? fmt::format("%{}.{}", v.node, v.result) : fmt::format("%{}", v.node);
}

void print_node(std::string& out, const Graph& g, NodeId id, bool with_lines) {
  const Node& n = g.node(id);
  out += fmt::format("  %{}", id);
  for (size_t i = 0; i < n.results.size(); ++i) out += (i ? ", " : " ") + type_text(n.results[i]);
  if (n.op == nullptr) {
    size_t input = 0;
    while (g.inputs()[input].node != id) ++input;
    out += " = input";
    const Layout& l = g.input_layout(input);
    Expr dense = int64_t{1};
    bool contiguous = l.offset.is_constant(0);
    for (size_t d = l.strides.size(); d-- > 0; dense = dense * n.results[0].shape[d])
      contiguous = contiguous && l.strides[d] == dense;
    if (!contiguous) out += fmt::format(" strides={} offset={}", list(l.strides), l.offset.text());
  } else {
    out += fmt::format(" = {}(", n.op->name);
    for (size_t i = 0; i < n.operands.size(); ++i) out += (i ? ", " : "") + name(g, n.operands[i]);
    out += ")";
    AttributeReader r(n.attributes);
    bool first = true;
    for (const Param& p : n.op->params) {
      out += fmt::format("{}{}={}", first ? " " : ", ", p.name, parameter(p, r));
      first = false;
    }
    if (n.effect_order >= 0) out += fmt::format(" effect={}", n.effect_order);
  }
  if (with_lines && n.line.file != nullptr) out += "   // " + n.line.text();
  out += "\n";
}

}  // namespace

std::string print(const Graph& g, bool with_lines) {
  std::string out = fmt::format("graph {} on {} symbols {} {{\n", g.name.empty() ? "_" : g.name, g.device.text(), g.symbol_count());
  for (NodeId id = 0; id < g.size(); ++id) print_node(out, g, id, with_lines);
  out += "  return";
  for (size_t i = 0; i < g.outputs().size(); ++i) out += (i ? ", " : " ") + name(g, g.outputs()[i]);
  return out + "\n}\n";
}

std::string to_dot(const Graph& g) {
  std::string out = "digraph {\n";
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    out += fmt::format("  n{} [label=\"{}\\n{}\"];\n", id, n.op ? n.op->name : "input", type_text(n.results[0]));
    for (Value v : n.operands) out += fmt::format("  n{} -> n{};\n", v.node, id);
  }
  return out + "}\n";
}

}  // namespace sinter::graph
