// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/schedule/fold_stages.h"

namespace sinter::schedule {

/// Which elements of a row each pass over it reads: a pass for each stage of folds, and one for what is stored along
/// the folded axis.
class RowPasses {
 public:
  RowPasses(const loop::Nest& nest, const FoldStages& folds);

  /// Loads along the axis that a pass needs.
  const std::vector<loop::ValueId>& loads(size_t pass) const { return loads_[pass]; }
  /// Loads of a row's own elements that several passes need, in boxes without masks of their own.
  const std::vector<loop::ValueId>& kept() const { return kept_; }
  /// What a pass computes along the axis at some cost, and a later one needs as well (the exponentials of softmax).
  const std::vector<loop::ValueId>& repeated() const { return repeated_; }
  /// Does a pass need a value, by itself or for others?
  bool needs(size_t pass, loop::ValueId v) const { return needed_[pass][static_cast<size_t>(v)]; }
  /// Bytes of an element of each of kept(), and of repeated().
  int32_t kept_bytes() const;
  int32_t repeated_bytes() const;
  /// Does the nest store to none of what they read?
  bool kept_is_only_read() const;

 private:
  void collect(const FoldStages& folds, loop::ValueId v, std::vector<bool>& seen, std::vector<loop::ValueId>& loads);
  void find_repeated(const FoldStages& folds, const std::vector<std::vector<loop::ValueId>>& roots);
  int cost(const FoldStages& folds, loop::ValueId v, std::vector<bool>& seen) const;
  bool is_box_of_row(const FoldStages& folds, loop::ValueId load) const;

  const loop::Nest& nest_;
  std::vector<std::vector<loop::ValueId>> loads_;
  std::vector<std::vector<bool>> needed_;  ///< by pass
  std::vector<loop::ValueId> kept_, repeated_;
};

}  // namespace sinter::schedule
