// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/fold_stages.h"

#include <algorithm>

namespace sinter::schedule {

using graph::Expr;
using loop::ValueId;

FoldStages::FoldStages(const loop::Nest& nest)
    : axis_(nest.axes.size() - 1), dependence_(loop::axis_dependence(nest)), live_(loop::live_instructions(nest)) {
  std::vector<size_t> stage(nest.body.size());
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const loop::Instruction& in = nest.body[static_cast<ValueId>(i)];
    const auto needs = [&](ValueId v) { stage[i] = std::max(stage[i], stage[static_cast<size_t>(v)]); };
    for (ValueId v : in.operands)
      if (v >= 0) needs(v);
    for (Expr e : in.index)
      visit_leaves(e, [&](Expr leaf) {
        if (leaf.kind() == Expr::Kind::value) needs(leaf.id());
      });
    if (in.kind != loop::InstructionKind::reduce || !live_[i]) continue;
    if (stages_.size() <= stage[i]) stages_.resize(stage[i] + 1);
    stages_[stage[i]].push_back(static_cast<ValueId>(i));
    ++stage[i];
  }
  stores_along_axis_ = std::ranges::any_of(nest.stores, [&](const loop::Store& s) { return is_inner(s); });
}

bool FoldStages::is_inner(const loop::Store& s) const {
  return is_inner(s.value) || (loop::axes_of(s.index[0], dependence_) >> axis_ & 1) != 0;
}

}  // namespace sinter::schedule
