// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::llvm_codegen {

using Uses = std::unordered_map<tile::ValueId, int>;
/// Adds the uses by an instruction: operands, indices of its access, and everything in its regions.
void count_uses(const tile::Instruction& i, Uses& uses);

/// A scalar instruction without effect, whose operands the region's first lines can compute too.
bool is_pure_scalar(const tile::Instruction& i);

/// The masked accesses of a region. Those of its loops and ifs are left to these: each branch of an if that chooses a
/// box has bounds of its own.
std::vector<const tile::Instruction*> masked_accesses(const tile::Region& region);

/// Does a loop inside of the region have masked accesses? Then the loop is versioned, not the region around it.
bool has_masked_loop(const tile::Region& region);

/// For each `rare` of a region, the pure instructions that only its slow operand needs, in order. They are emitted out
/// of line, where some lane takes the slow way.
class RareParts {
 public:
  explicit RareParts(const tile::Region& region);
  bool is_deferred(const tile::Instruction& i) const { return deferred_.count(&i) > 0; }
  const std::vector<const tile::Instruction*>& of(const tile::Instruction& rare) const;

 private:
  std::set<const tile::Instruction*> deferred_;
  std::unordered_map<const tile::Instruction*, std::vector<const tile::Instruction*>> parts_;
};

}  // namespace sinter::llvm_codegen
