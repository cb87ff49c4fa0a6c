// SPDX-License-Identifier: Apache-2.0
#include "src/loop/dependence.h"

namespace sinter::loop {

AxisSet axes_of(Expr e, const std::vector<AxisSet>& of_values) {
  AxisSet axes = 0;
  visit_leaves(e, [&](Expr leaf) {
    if (leaf.kind() == Expr::Kind::axis) axes |= AxisSet{1} << leaf.id();
    if (leaf.kind() == Expr::Kind::value) axes |= of_values.at(static_cast<size_t>(leaf.id()));
  });
  return axes;
}

AxisSet reduction_axes(const Nest& nest) {
  AxisSet axes = 0;
  for (size_t i = 0; i < nest.axes.size(); ++i)
    if (nest.axes[i].reduction) axes |= AxisSet{1} << i;
  return axes;
}

std::optional<size_t> scan_axis(const Nest& nest) {
  for (const Instruction& in : nest.body.instructions())
    if (in.kind == InstructionKind::scan) return static_cast<size_t>(in.index[0].id());
  return std::nullopt;
}

std::vector<AxisSet> axis_dependence(const Nest& nest) {
  const AxisSet reduced = reduction_axes(nest);
  std::vector<AxisSet> axes;
  axes.reserve(nest.body.size());
  for (const Instruction& in : nest.body.instructions()) {
    AxisSet a = 0;
    for (ValueId v : in.operands)
      if (v >= 0) a |= axes[static_cast<size_t>(v)];
    for (Expr e : in.index) a |= axes_of(e, axes);
    if (in.kind == InstructionKind::reduce) a &= ~reduced;
    axes.push_back(a);
  }
  return axes;
}

std::vector<bool> live_instructions(const Nest& nest) {
  std::vector<bool> live(nest.body.size());
  const auto mark = [&](Expr e) {
    visit_leaves(e, [&](Expr leaf) {
      if (leaf.kind() == Expr::Kind::value) live[static_cast<size_t>(leaf.id())] = true;
    });
  };
  for (const Store& s : nest.stores) {
    live[static_cast<size_t>(s.value)] = true;
    for (Expr e : s.index) mark(e);
  }
  for (size_t i = nest.body.size(); i-- > 0;) {
    const Instruction& in = nest.body[static_cast<ValueId>(i)];
    if (in.kind == InstructionKind::to_index && in.mode == IndexMode::check) live[i] = true;
    if (!live[i]) continue;
    for (ValueId v : in.operands)
      if (v >= 0) live[static_cast<size_t>(v)] = true;
    for (Expr e : in.index) mark(e);
  }
  return live;
}

std::vector<bool> folded_instructions(const Body& body) {
  std::vector<bool> folded(body.size());
  for (size_t i = body.size(); i-- > 0;) {
    const Instruction& in = body[static_cast<ValueId>(i)];
    if (in.kind != InstructionKind::reduce && !folded[i]) continue;
    for (ValueId v : in.operands)
      if (v >= 0) folded[static_cast<size_t>(v)] = true;
    for (Expr e : in.index)
      visit_leaves(e, [&](Expr leaf) {
        if (leaf.kind() == Expr::Kind::value) folded[static_cast<size_t>(leaf.id())] = true;
      });
  }
  return folded;
}

}  // namespace sinter::loop
