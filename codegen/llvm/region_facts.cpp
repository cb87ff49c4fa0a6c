// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/region_facts.h"

#include <algorithm>

namespace sinter::llvm_codegen {

namespace {

using tile_ir::Op;

bool is_access(const tile_ir::Instruction& i) { return i.op == Op::block_load || i.op == Op::block_store; }

/// Pure, and of the shape of what it feeds: can move into a loop over parts of the tile.
bool is_movable(const tile_ir::Instruction& i) {
  return i.op == Op::constant || i.op == Op::iota || i.op == Op::scalar;
}

}  // namespace

void count_uses(const tile_ir::Instruction& i, Uses& uses) {
  for (const tile_ir::ValueId v : i.operands) ++uses[v];
  const auto use = [&](const tile_ir::IndexOperand& x) {
    if (!x.is_literal()) ++uses[x.value];
  };
  const auto along = [&](const tile_ir::AccessDim& d) {
    use(d.origin);
    use(d.stride);
    use(d.extent);
  };
  if (i.access) {
    use(i.access->base);
    use(i.access->row_extent);
    along(i.access->parts);
    for (const tile_ir::AccessDim& d : i.access->dims) along(d);
  }
  for (const tile_ir::Region& r : i.regions)
    for (const tile_ir::Instruction& inner : r.body) count_uses(inner, uses);
}

bool is_pure_scalar(const tile_ir::Instruction& i) {
  if (i.type.is_tile) return false;
  return i.op == Op::constant || i.op == Op::parameter || i.op == Op::program_id || i.op == Op::scalar;
}

std::vector<const tile_ir::Instruction*> masked_accesses(const tile_ir::Region& region) {
  std::vector<const tile_ir::Instruction*> found;
  for (const tile_ir::Instruction& i : region.body)
    if (is_access(i) && i.access->is_masked()) found.push_back(&i);
  return found;
}

bool has_masked_loop(const tile_ir::Region& region) {
  return std::any_of(region.body.begin(), region.body.end(), [](const tile_ir::Instruction& i) {
    return std::any_of(i.regions.begin(), i.regions.end(), [&](const tile_ir::Region& r) {
      return (i.op == Op::for_loop && !masked_accesses(r).empty()) || has_masked_loop(r);
    });
  });
}

RareParts::RareParts(const tile_ir::Region& region) {
  const auto is_rare = [](const tile_ir::Instruction& i) {
    return i.op == Op::scalar && i.scalar == scalar::ScalarOp::rare;
  };
  if (std::none_of(region.body.begin(), region.body.end(), is_rare)) return;
  Uses uses;
  for (const tile_ir::Instruction& i : region.body) count_uses(i, uses);
  for (size_t at = region.body.size(); at-- > 0;) {
    const tile_ir::Instruction& rare = region.body[at];
    if (!is_rare(rare) || is_deferred(rare)) continue;
    Uses taken{{rare.operands[2], 1}};  // uses by the slow part so far
    std::vector<const tile_ir::Instruction*>& part = parts_[&rare];
    for (size_t k = at; k-- > 0;) {
      const tile_ir::Instruction& i = region.body[k];
      if (!is_movable(i) || is_deferred(i)) continue;
      const auto it = taken.find(i.results[0]);
      if (it == taken.end() || it->second != uses[i.results[0]]) continue;
      part.insert(part.begin(), &i);
      deferred_.insert(&i);
      for (const tile_ir::ValueId v : i.operands) ++taken[v];
    }
  }
}

const std::vector<const tile_ir::Instruction*>& RareParts::of(const tile_ir::Instruction& rare) const {
  static const std::vector<const tile_ir::Instruction*> none;
  const auto it = parts_.find(&rare);
  return it == parts_.end() ? none : it->second;
}

}  // namespace sinter::llvm_codegen
