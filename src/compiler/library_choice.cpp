// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/library_choice.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <set>

#include "src/compiler/compile.h"
#include "src/compiler/cuda_fold.h"
#include "src/compiler/cuda_sort.h"
#include "src/graph/registry.h"
#include "src/graph/text.h"
#include "src/lower/call_operands.h"
#include "src/passes/decompose.h"

namespace sinter::compiler {
namespace {

exec::CallTensor tensor(const graph::ValueType& type) {
  exec::CallTensor t;
  t.dtype = type.dtype;
  for (graph::Expr e : type.shape) t.shape.push_back(e.constant().value_or(exec::unknown_extent));
  return t;
}

exec::CallNumber number(const graph::Scalar& s) {
  if (s.is_extent) return {false, s.expr.constant().has_value(), s.expr.constant().value_or(0)};
  return {s.literal.kind == graph::Number::Kind::floating, s.symbol < 0, s.symbol < 0 ? s.literal.bits : 0};
}

/// Asks in order; appends "name: why not" to `reasons`.
const exec::Provider* choose(const exec::CallDescription& call, Device device, std::string& reasons) {
  register_compiled_providers();
  for (const exec::Provider* p : exec::providers()) {
    if (!p->serves(call.op, device)) continue;
    const std::string why = p->why_not(call, device);
    if (why.empty()) return p;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", p->name(), why);
  }
  return nullptr;
}

std::string types_text(const exec::CallDescription& call) {
  std::string s;
  for (const exec::CallTensor& t : call.operands) s += fmt::format(" {} {}", t.dtype.name(), t.shape.text());
  return s;
}

}  // namespace

void register_compiled_providers() {
  register_cuda_sort();
  register_cuda_fold();
}

exec::CallDescription describe(const graph::Graph& graph, const graph::Node& call) {
  exec::CallDescription d;
  d.op = call.op->name;
  d.words = call.attributes.words;
  for (const graph::Scalar& s : call.attributes.scalars) d.numbers.push_back(number(s));
  for (graph::Value v : call.operands) d.operands.push_back(tensor(graph.type(v)));
  for (const graph::ValueType& t : call.results) d.results.push_back(tensor(t));
  return d;
}

const exec::Provider* LibraryChoice::provider(const graph::Graph& graph, const graph::Node& call) {
  const exec::CallDescription d = describe(graph, call);
  std::string reasons;
  const exec::Provider* chosen = choose(d, device_, reasons);
  if (chosen == nullptr) {
    std::string note = fmt::format("{}{}: no library{}{}", d.op, types_text(d), reasons.empty() ? "" : ": ", reasons);
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
  }
  return chosen;
}

bool LibraryChoice::has_provider(const graph::Graph& graph, const graph::Node& call) const {
  std::string reasons;
  return choose(describe(graph, call), device_, reasons) != nullptr;
}

const exec::Provider& required_provider(const exec::CallDescription& call, Device device) {
  std::string reasons;
  if (const exec::Provider* p = choose(call, device, reasons)) return *p;
  throw CompileError(fmt::format("[{}] nobody computes{} on {}{}{}", call.op, types_text(call), device.text(),
                                 reasons.empty() ? "" : ": ", reasons));
}

std::vector<std::pair<graph::Expr, graph::Expr>> layout_assumptions(const graph::Graph& graph) {
  return lower::call_assumptions(
      passes::decompose(graph, [](const graph::Graph&, const graph::Node&) { return true; }));
}

std::string library_identity(const graph::Graph& graph) {
  std::set<std::string> ops;
  const graph::Graph primitive = passes::decompose(graph, [&](const graph::Graph&, const graph::Node& call) {
    ops.emplace(call.op->name);
    return false;
  });
  for (graph::NodeId id = 0; id < primitive.size(); ++id)
    if (primitive.node(id).op != nullptr && primitive.node(id).op->call) ops.emplace(primitive.node(id).op->name);
  std::string text;
  if (ops.empty()) return text;
  for (const exec::Provider* p : exec::providers())
    if (std::ranges::any_of(ops, [&](const std::string& op) { return p->serves(op, graph.device); }))
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", p->name(), p->identity(graph.device));
  return text;
}

}  // namespace sinter::compiler
