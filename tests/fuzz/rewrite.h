// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

/// What a rewrite changes while a graph is built anew, node by node; absent members change nothing.
struct Rewrite {
  /// A value (of the new graph) in place of the node's first result; `operands` are the node's, of the new graph.
  std::function<std::optional<graph::Value>(graph::Graph& made, graph::NodeId id,
                                            std::span<const graph::Value> operands)>
      replace = {};
  std::function<void(graph::NodeId id, std::vector<graph::Value>& operands, graph::Attributes& attributes)> call = {};
  std::function<void(size_t input, graph::ValueType& type, graph::Layout& layout)> input = {};
  /// Every extent, stride and offset of inputs and every extent of attributes.
  std::function<graph::Expr(graph::Expr)> expr = {};
};

/// The graph under a rewrite, without nodes and inputs that no output and no write needs; types follow from the ops'
/// type rules. Nothing if a rule refuses, or an equality that a rule assumes does not hold for a call of the case.
std::optional<Case> rewritten(const Case& c, const Rewrite& rewrite);

}  // namespace sinter::fuzz
