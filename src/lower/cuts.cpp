// SPDX-License-Identifier: Apache-2.0
#include "src/lower/cuts.h"

#include <algorithm>

#include "src/loop/dependence.h"
#include "src/loop/index_comparison.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using loop::InstructionKind;

bool is_of_symbols(Expr e) {
  bool symbols = true;
  visit_leaves(e, [&](Expr leaf) { symbols = symbols && leaf.kind() == Expr::Kind::symbol; });
  return symbols;
}

/// Where slack >= 0, if the slack holds one axis once and is else of symbols.
std::optional<Cut> cut_of(Expr slack) {
  Cut cut;
  int64_t sign = 0;
  for (const auto& [c, t] : slack.terms()) {
    if (t.kind() == Expr::Kind::axis) {
      if (cut.axis >= 0 || (c != 1 && c != -1)) return std::nullopt;
      cut.axis = t.id();
      sign = c;
    } else if (!is_of_symbols(t)) {
      return std::nullopt;
    }
  }
  if (cut.axis < 0) return std::nullopt;
  const Expr axis = Expr::axis(cut.axis);
  cut.below = sign < 0;
  cut.at = cut.below ? slack + axis + 1 : axis - slack;
  return cut;
}

/// The boolean instructions that masks of loads consist of.
std::vector<bool> parts_of_masks(const loop::Nest& nest) {
  const std::vector<bool> live = loop::live_instructions(nest);
  std::vector<bool> part(nest.body.size());
  for (size_t i = nest.body.size(); i-- > 0;) {
    const loop::Instruction& in = nest.body[static_cast<loop::ValueId>(i)];
    if (in.kind == InstructionKind::load && live[i] && in.operands[0] >= 0)
      part[static_cast<size_t>(in.operands[0])] = true;
    if (!part[i] || in.kind != InstructionKind::scalar) continue;
    for (loop::ValueId v : in.operands)
      if (v >= 0 && nest.body[v].type.is_boolean()) part[static_cast<size_t>(v)] = true;
  }
  return part;
}

/// Inserts a point where it provably belongs.
void insert(std::vector<Expr>& points, Expr p, const graph::Ranges& symbols) {
  const auto precedes = [&](Expr a, Expr b) { return symbols.of(b - a).first >= 0; };
  size_t low = 0, high = points.size();
  while (low < high) {
    const size_t mid = (low + high) / 2;
    if (points[mid] == p) return;
    if (precedes(p, points[mid]))
      high = mid;
    else if (precedes(points[mid], p))
      low = mid + 1;
    else
      return;
  }
  points.insert(points.begin() + static_cast<std::ptrdiff_t>(low), p);
}

}  // namespace

std::vector<std::optional<Cut>> find_cuts(const loop::Nest& nest) {
  std::vector<std::optional<Cut>> cuts;
  for (const loop::Instruction& in : nest.body.instructions()) {
    const auto slack = loop::slack_of(nest.body, in);
    cuts.push_back(slack ? cut_of(*slack) : std::nullopt);
  }
  return cuts;
}

std::vector<Expr> mask_points(const loop::Nest& nest, const std::vector<std::optional<Cut>>& cuts, int axis,
                              const graph::Ranges& symbols) {
  const std::vector<bool> part = parts_of_masks(nest);
  std::vector<Expr> points;
  for (size_t i = 0; i < cuts.size(); ++i)
    if (part[i] && cuts[i] && cuts[i]->axis == axis) insert(points, cuts[i]->at, symbols);
  return points;
}

}  // namespace sinter::lower
