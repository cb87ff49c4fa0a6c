// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "src/graph/graph.h"
#include "src/lower/strided_view.h"

namespace sinter::lower {

/// Is the node left to a provider? After decomposition that is every node whose op has a call rule.
bool is_call(const graph::Node& node);

struct CallOperand {
  StridedView view;
  bool copied = false;  ///< an input that the rule refuses where it lies: the base is a dense copy of it
};

/// Where a call reads its operand: in place, through the view ops between it and memory (a transpose is strides, not a
/// copy), where the op's rule takes the strides; else in dense row-major memory of its own (base == the operand). A
/// value that is computed gets memory itself only if the views read all of it. What the rule had to assume of symbols
/// is appended to `assumptions`.
CallOperand call_operand(const graph::Graph& graph, graph::NodeId call, size_t operand,
                         std::vector<std::pair<graph::Expr, graph::Expr>>& assumptions);

/// Everything the calls of a graph of primitive ops assume of symbols: equalities to be guarded.
std::vector<std::pair<graph::Expr, graph::Expr>> call_assumptions(const graph::Graph& graph);

}  // namespace sinter::lower
