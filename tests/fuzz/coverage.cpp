// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "src/graph/registry.h"
#include "src/graph/text.h"

namespace sinter::fuzz {

void Coverage::note(const Case& c) {
  const auto is = [&](bool b, const char* name) {
    if (b) ++graphs_[name];
  };
  ++graphs_["all"];
  is(c.misaligned != 0, "misaligned");
  is(c.calls.size() > 1, "two calls");
  is(c.graph.outputs().size() > 1, "several outputs");
  is(!c.graph.writes().empty(), "writes in place");
  int ops = 0;
  bool empty = false, numbers = false;
  for (graph::NodeId id = 0; id < c.graph.size(); ++id) {
    const graph::Node& n = c.graph.node(id);
    empty = empty || std::ranges::any_of(n.results[0].shape, [](graph::Expr e) { return e.is_constant(0); });
    numbers =
        numbers || std::ranges::any_of(n.attributes.scalars, [](const graph::Scalar& s) { return s.symbol >= 0; });
    ++dtypes_[std::string(n.results[0].dtype.name())];
    if (n.op == nullptr) continue;
    ++ops_[std::string(n.op->name)];
    if (n.op->op_class == graph::OpClass::view) ++views_[std::string(n.op->name)];
    ++ops;
  }
  is(empty, "empty tensors");
  is(numbers, "promoted numbers");
  is(ops > 10, "more than 10 ops");
  for (size_t i = 0; i < c.graph.inputs().size(); ++i) note_input(c, i);
}

void Coverage::note_input(const Case& c, size_t input) {
  const graph::ValueType& type = c.graph.type(c.graph.inputs()[input]);
  const graph::Layout& layout = c.graph.input_layout(input);
  const auto some = [&](auto&& holds) {
    return std::ranges::any_of(layout.strides, [&](graph::Expr e) { return e.constant() && holds(*e.constant()); });
  };
  if (!layout.offset.is_constant(0)) ++layouts_["offset"];
  if (std::ranges::any_of(type.shape, [](graph::Expr e) { return !e.constant(); })) ++layouts_["symbolic"];
  ++layouts_[graph::is_contiguous({layout.strides, {}}, type.shape) ? "row-major"
             : some([](int64_t s) { return s < 0; })                ? "reversed"
             : some([](int64_t s) { return s == 0; })               ? "repeated"
                                                                    : "strided"];
}

std::string Coverage::text() const {
  std::string out;
  const auto add = [&](const char* title, const Counts& counts) {
    out += fmt::format("{}:", title);
    for (const auto& [name, n] : counts) out += fmt::format(" {} {},", name, n);
    out.back() = '\n';
  };
  add("graphs", graphs_);
  add("inputs", layouts_);
  add("views", views_);
  add("dtypes", dtypes_);
  add("ops", ops_);
  std::string never;
  for (const graph::OpDef* op : graph::all_ops())
    if (!ops_.contains(std::string(op->name))) never += fmt::format(" {}", op->name);
  return never.empty() ? out : out + "never:" + never + "\n";
}

std::string Coverage::lines() const {
  std::string out;
  const Counts* all[] = {&ops_, &dtypes_, &layouts_, &views_, &graphs_};
  for (size_t i = 0; i < std::size(all); ++i)
    for (const auto& [name, n] : *all[i]) out += fmt::format("{} {} {}\n", i, n, name);
  return out;
}

void Coverage::add(std::string_view lines) {
  Counts* all[] = {&ops_, &dtypes_, &layouts_, &views_, &graphs_};
  std::istringstream in{std::string(lines)};
  size_t kind = 0;
  int n = 0;
  for (std::string name; in >> kind >> n && std::getline(in >> std::ws, name);) (*all[kind])[name] += n;
}

}  // namespace sinter::fuzz
