// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/loop/dependence.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// The folds of a nest whose last axis is the only reduction axis, in the order in which they can be made. Folds that
/// need no other fold come first, then those that need their results, and so on: stage by stage the axis is gone
/// through once. What is stored along the axis is computed in a last pass.
class FoldStages {
 public:
  explicit FoldStages(const loop::Nest& nest);

  const std::vector<std::vector<loop::ValueId>>& stages() const { return stages_; }
  const std::vector<loop::AxisSet>& dependence() const { return dependence_; }
  bool is_live(loop::ValueId v) const { return live_[static_cast<size_t>(v)]; }
  /// Does it vary along the folded axis?
  bool is_inner(loop::ValueId v) const { return (dependence_[static_cast<size_t>(v)] >> axis_ & 1) != 0; }
  bool is_inner(const loop::Store& s) const;
  /// Are elements needed again after a fold of them, by a later stage or by a store along the axis?
  bool reads_again() const { return stages_.size() != 1 || stores_along_axis_; }
  bool stores_along_axis() const { return stores_along_axis_; }

 private:
  size_t axis_;
  std::vector<loop::AxisSet> dependence_;
  std::vector<bool> live_;
  std::vector<std::vector<loop::ValueId>> stages_;
  bool stores_along_axis_ = false;
};

}  // namespace sinter::schedule
