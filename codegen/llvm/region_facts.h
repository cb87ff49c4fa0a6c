// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::llvm_codegen {

using Uses = std::unordered_map<tile_ir::ValueId, int>;
/// Adds the uses by an instruction: operands, indices of its access, and everything in its regions.
void count_uses(const tile_ir::Instruction& i, Uses& uses);

/// A scalar instruction without effect, whose operands the region's first lines can compute too.
bool is_pure_scalar(const tile_ir::Instruction& i);

/// The masked accesses of a region. Those of its loops and ifs are left to these: each branch of an if that chooses a
/// box has bounds of its own.
std::vector<const tile_ir::Instruction*> masked_accesses(const tile_ir::Region& region);

/// Does a loop inside of the region have masked accesses? Then the loop is versioned, not the region around it.
bool has_masked_loop(const tile_ir::Region& region);

/// For each `rare` of a region, the pure instructions that only its slow operand needs, in order. They are emitted out
/// of line, where some lane takes the slow way.
class RareParts {
 public:
  explicit RareParts(const tile_ir::Region& region);
  bool is_deferred(const tile_ir::Instruction& i) const { return deferred_.count(&i) > 0; }
  const std::vector<const tile_ir::Instruction*>& of(const tile_ir::Instruction& rare) const;

 private:
  std::set<const tile_ir::Instruction*> deferred_;
  std::unordered_map<const tile_ir::Instruction*, std::vector<const tile_ir::Instruction*>> parts_;
};

}  // namespace sinter::llvm_codegen
