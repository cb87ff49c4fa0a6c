// SPDX-License-Identifier: Apache-2.0
#include "src/lower/aliases.h"

#include <algorithm>

#include "src/lower/strided_view.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::NodeId;

std::optional<loop::Alias> alias_of(const graph::Graph& g, NodeId id) {
  const NodeId input = view_chain(g, id).front();
  if (g.node(input).op != nullptr) return std::nullopt;
  auto view = view_in(g, id, input);
  if (!view) return std::nullopt;
  const bool forward = std::ranges::all_of(view->strides, [&](Expr s) { return g.ranges.of(s).first >= 0; });
  if (id != input && !forward) return std::nullopt;
  const auto position = std::ranges::find(g.inputs(), graph::Value{input, 0}) - g.inputs().begin();
  return loop::Alias{-1, static_cast<int>(position), view->offset, std::move(view->strides)};
}

}  // namespace

std::vector<loop::Alias> find_aliases(const graph::Graph& g) {
  std::vector<loop::Alias> aliases;
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    if (!g.output_order(i).empty()) continue;  // memory of its own, in that order
    if (auto alias = alias_of(g, g.outputs()[i].node)) {
      alias->output = static_cast<int>(i);
      aliases.push_back(std::move(*alias));
    }
  }
  return aliases;
}

}  // namespace sinter::lower
