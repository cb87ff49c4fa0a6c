// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "src/graph/text.h"

namespace sinter::graph {
namespace {

std::string end_text(int64_t end) {
  if (end == std::numeric_limits<int64_t>::min()) return "-inf";
  return end == std::numeric_limits<int64_t>::max() ? "inf" : fmt::format("{}", end);
}

class Printer {
 public:
  Printer(const Graph& g, bool with_lines, int indent) : g_(g), with_lines_(with_lines), indent_(indent) {
    for (size_t i = 0; i < g.inputs().size(); ++i) input_of_.emplace(g.inputs()[i].node, i);
  }

  std::string run() {
    line(0, fmt::format("graph {} on {} {{", graph::quoted(g_.name), g_.device.text()));
    if (g_.symbol_count() > 0) line(1, symbols());
    for (NodeId id = 0; id < g_.size(); ++id) node(id);
    for (const Write& w : g_.writes())
      line(1, fmt::format("write {} to input {}{}", text(g_, w.value), w.input, w.overlapped ? " overlapped" : ""));
    std::string outputs;
    for (size_t i = 0; i < g_.outputs().size(); ++i) {
      outputs += (i == 0 ? " " : ", ") + text(g_, g_.outputs()[i]);
      if (const Dims& order = g_.output_order(i); !order.empty()) outputs += " as " + order.text();
    }
    line(1, "return" + outputs);
    line(0, "}");
    return std::move(out_);
  }

 private:
  void line(int deeper, std::string_view s) {
    out_.append(static_cast<size_t>(2 * (indent_ + deeper)), ' ').append(s).append("\n");
  }

  std::string symbols() const {
    std::string s = fmt::format("symbols {}", g_.symbol_count());
    for (int i = 0; i < g_.symbol_count(); ++i) {
      const std::string lo = end_text(g_.ranges.of(Expr::symbol(i)).first);
      const std::string hi = end_text(g_.ranges.of(Expr::symbol(i)).second);
      if (lo != "-inf" || hi != "inf") s += fmt::format(", s{} in [{},{}]", i, lo, hi);
    }
    return s;
  }

  void node(NodeId id) {
    const Node& n = g_.node(id);
    std::string s = fmt::format("%{}", id);
    for (size_t i = 0; i < n.results.size(); ++i) s += (i ? ", " : " ") + text(n.results[i]);
    s += n.op == nullptr ? input(id) : call(n);
    if (!n.subgraphs.empty()) s += " {";
    if (with_lines_ && n.line.file != nullptr) s += "  // " + n.line.text();
    line(1, s);
    for (const auto& body : n.subgraphs) out_ += Printer(*body, with_lines_, indent_ + 2).run();
    if (!n.subgraphs.empty()) line(1, "}");
  }

  std::string input(NodeId id) const {
    const auto it = input_of_.find(id);
    if (it == input_of_.end()) throw CompileError(fmt::format("internal: %{} has no op and is no input", id));
    const Layout& layout = g_.input_layout(it->second);
    if (is_contiguous(layout, g_.node(id).results[0].shape)) return " = input";
    return fmt::format(" = input strides={}, offset={}", text(layout.strides), layout.offset.text());
  }

  std::string call(const Node& n) const {
    std::string s = fmt::format(" = {}(", n.op->name);
    for (size_t i = 0; i < n.operands.size(); ++i) s += (i ? ", " : "") + text(g_, n.operands[i]);
    s += ")";
    if (!n.op->params.empty()) s += " " + text(*n.op, n.attributes);
    if (n.effect_order >= 0) s += fmt::format(" effect={}", n.effect_order);
    return s;
  }

  const Graph& g_;
  bool with_lines_;
  int indent_;
  std::unordered_map<NodeId, size_t> input_of_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph, bool with_lines) { return Printer(graph, with_lines, 0).run(); }

}  // namespace sinter::graph
