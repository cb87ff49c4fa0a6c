// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/tile/ir.h"
#include "codegen/tile/layout/axis_info.h"

namespace sinter::tile_ir {

/// What is known of the integers, and of where all values are equal along a dim, in the values of a kernel. Nothing is
/// assumed of overflow: where a sum wraps, an aligned block of neighbours still is one, since powers of two do not
/// wrap within it; what would not hold then (narrow conversions, quotients of negative numbers) is not used.
class AxisAnalysis {
 public:
  /// `types` are those of all values, in either form of the kernel.
  AxisAnalysis(const Kernel& kernel, const std::vector<Type>& types);
  /// Of a tile or a scalar, a tile without dims. Parts of a tile have the same facts, but are not equal.
  const AxisInfo& of(ValueId v) const { return facts_[static_cast<size_t>(v)]; }

 private:
  void visit(const Kernel& kernel, const Region& region);
  AxisInfo result(const Kernel& kernel, const Instruction& in) const;
  AxisInfo scalar(const Instruction& in) const;

  const std::vector<Type>& types_;
  std::vector<AxisInfo> facts_;
};

/// Neighbours along a dim (a power of two, at most `most`) that a gather reads from consecutive addresses, the first a
/// multiple of their number, with one mask: one access reads them.
int64_t gathered_together(const AxisAnalysis& facts, const Instruction& gather, int dim, int64_t most);

}  // namespace sinter::tile_ir
