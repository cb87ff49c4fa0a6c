// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/row_passes.h"

#include <algorithm>
#include <map>

#include "codegen/schedule/cost.h"
#include "codegen/schedule/tiling.h"

namespace sinter::schedule {

using graph::Expr;
using loop::ValueId;

RowPasses::RowPasses(const loop::Nest& nest, const FoldStages& folds) : nest_(nest) {
  std::vector<std::vector<ValueId>> all_roots;
  const auto pass = [&](const std::vector<ValueId>& roots) {
    std::vector<bool>& seen = needed_.emplace_back(nest.body.size());
    loads_.emplace_back();
    for (ValueId v : roots) collect(folds, v, seen, loads_.back());
    all_roots.push_back(roots);
  };
  for (const auto& stage : folds.stages()) {
    std::vector<ValueId> roots;
    for (ValueId r : stage) roots.push_back(nest.body[r].operands[0]);
    pass(roots);
  }
  if (folds.stores_along_axis()) {
    std::vector<ValueId> roots;
    for (const loop::Store& s : nest.stores)
      if (folds.is_inner(s)) roots.push_back(s.value);
    pass(roots);
  }
  std::map<ValueId, int> uses;
  for (const auto& loads : loads_)
    for (ValueId v : loads) ++uses[v];
  for (const auto& [v, n] : uses)
    if (n > 1 && is_box_of_row(folds, v)) kept_.push_back(v);
  find_repeated(folds, all_roots);
}

/// Of what an earlier pass computed, a pass takes what its own instructions read, if that is cheaper than once more.
void RowPasses::find_repeated(const FoldStages& folds, const std::vector<std::vector<ValueId>>& roots) {
  constexpr int worth_keeping = 8;
  std::vector<bool> earlier(nest_.body.size());
  const auto consider = [&](ValueId v) {
    if (v < 0 || !earlier[static_cast<size_t>(v)] || std::ranges::find(repeated_, v) != repeated_.end()) return;
    std::vector<bool> seen(nest_.body.size());
    if (cost(folds, v, seen) >= worth_keeping) repeated_.push_back(v);
  };
  for (size_t p = 0; p < needed_.size(); ++p) {
    for (ValueId v : roots[p]) consider(v);
    for (size_t i = 0; i < nest_.body.size(); ++i)
      if (needed_[p][i] && !earlier[i])
        for (ValueId v : nest_.body[static_cast<ValueId>(i)].operands) consider(v);
    for (size_t i = 0; i < nest_.body.size(); ++i) earlier[i] = earlier[i] || needed_[p][i];
  }
}

/// Instructions along the axis that a value takes.
int RowPasses::cost(const FoldStages& folds, ValueId v, std::vector<bool>& seen) const {
  if (v < 0 || !folds.is_inner(v) || seen[static_cast<size_t>(v)]) return 0;
  seen[static_cast<size_t>(v)] = true;
  const loop::Instruction& in = nest_.body[v];
  int n = in.kind == loop::InstructionKind::scalar ? instruction_weight_on_cpu(in.op, in.type) : 0;
  for (ValueId o : in.operands) n += cost(folds, o, seen);
  return n;
}

void RowPasses::collect(const FoldStages& folds, ValueId v, std::vector<bool>& seen, std::vector<ValueId>& loads) {
  if (v < 0 || !folds.is_inner(v) || seen[static_cast<size_t>(v)]) return;
  seen[static_cast<size_t>(v)] = true;
  const loop::Instruction& in = nest_.body[v];
  for (ValueId o : in.operands) collect(folds, o, seen, loads);
  for (Expr e : in.index)
    visit_leaves(e, [&](Expr leaf) {
      if (leaf.kind() == Expr::Kind::value) collect(folds, leaf.id(), seen, loads);
    });
  if (in.kind == loop::InstructionKind::load) loads.push_back(v);
}

bool RowPasses::is_box_of_row(const FoldStages& folds, ValueId load) const {
  const loop::Instruction& in = nest_.body[load];
  const size_t axis = nest_.axes.size() - 1;
  if (in.operands[0] >= 0) return false;
  if ((folds.dependence()[static_cast<size_t>(load)] & ~(loop::AxisSet{1} << axis)) == 0 && axis > 0) return false;
  const AxisStrides strides = axis_strides(in.index[0], nest_.axes.size());
  if (!std::ranges::all_of(strides, [](const auto& s) { return s.has_value(); })) return false;
  bool values = false;
  visit_leaves(in.index[0], [&](Expr leaf) { values = values || leaf.kind() == Expr::Kind::value; });
  return !values && strides[axis]->is_constant(1);
}

int32_t RowPasses::kept_bytes() const {
  int32_t bytes = 0;
  for (ValueId v : kept_) bytes += nest_.body[v].attribute.bytes();
  return bytes;
}

int32_t RowPasses::repeated_bytes() const {
  int32_t bytes = 0;
  for (ValueId v : repeated_) bytes += nest_.body[v].type.bytes();
  return bytes;
}

bool RowPasses::kept_is_only_read() const {
  return std::ranges::none_of(kept_, [&](ValueId v) {
    return std::ranges::any_of(nest_.stores, [&](const loop::Store& s) { return s.buffer == nest_.body[v].id; });
  });
}

}  // namespace sinter::schedule
