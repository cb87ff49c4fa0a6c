// SPDX-License-Identifier: Apache-2.0
// Regions: their order, their two versions, and what is computed out of line.
#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/rare_test.h"

namespace sinter::llvm_codegen {

using tile_ir::Op;

std::vector<TileValue> KernelEmitter::region(const Region& r) {
  const Done done = hoist_scalars(r);
  std::vector<const Instruction*> versioned;
  if (!has_masked_loop(r))
    for (const Instruction* i : masked_accesses(r))
      if (!inside_.count(i) && !outside_.count(i) && bounds_known(*i)) versioned.push_back(i);
  if (versioned.empty()) return straight(r, done);
  llvm::Value* whole = b_.getTrue();
  for (const Instruction* i : versioned) whole = b_.CreateAnd(whole, box(*i).whole_inside());
  return two_versions(r, done, versioned, whole);
}

/// Emits the scalar arithmetic of a region before everything else, so that bounds are known at its begin.
KernelEmitter::Done KernelEmitter::hoist_scalars(const Region& r) {
  Done done;
  std::unordered_set<ValueId> unknown;
  for (const Instruction& i : r.body) {
    const bool ready = is_pure_scalar(i) && std::none_of(i.operands.begin(), i.operands.end(),
                                                         [&](ValueId v) { return unknown.count(v) > 0; });
    if (ready) {
      instruction(i);
      done.insert(&i);
      continue;
    }
    unknown.insert(i.results.begin(), i.results.end());
    forget(i);
  }
  return done;
}

/// What the region's other version left.
void KernelEmitter::forget(const Instruction& i) {
  for (const ValueId v : i.results) values_[static_cast<size_t>(v)].clear();
  for (const Region& r : i.regions)
    for (const Instruction& inner : r.body) forget(inner);
}

bool KernelEmitter::bounds_known(const Instruction& i) const {
  const auto known = [&](const tile_ir::IndexOperand& x) { return x.is_literal() || !stored(x.value).empty(); };
  const auto along = [&](const tile_ir::AccessDim& d) { return known(d.origin) && known(d.stride) && known(d.extent); };
  const tile_ir::Access& a = *i.access;
  return known(a.base) && along(a.parts) && known(a.row_extent) && std::all_of(a.dims.begin(), a.dims.end(), along);
}

/// The region twice: without masks where every tile lies inside, with them elsewhere.
std::vector<TileValue> KernelEmitter::two_versions(const Region& r, const Done& done,
                                                   const std::vector<const Instruction*>& versioned,
                                                   llvm::Value* whole) {
  llvm::BasicBlock *fast = block("whole"), *slow = block("edge"), *join = block("join");
  b_.CreateCondBr(whole, fast, slow);
  b_.SetInsertPoint(fast);
  inside_.insert(versioned.begin(), versioned.end());
  const std::vector<TileValue> a = straight(r, done);
  for (const Instruction* i : versioned) inside_.erase(i);
  llvm::BasicBlock* fast_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(slow);
  outside_.insert(versioned.begin(), versioned.end());
  const std::vector<TileValue> e = straight(r, done);
  for (const Instruction* i : versioned) outside_.erase(i);
  llvm::BasicBlock* slow_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  return merge(a, fast_end, e, slow_end);
}

std::vector<TileValue> KernelEmitter::merge(const std::vector<TileValue>& x, llvm::BasicBlock* from_x,
                                            const std::vector<TileValue>& y, llvm::BasicBlock* from_y) {
  std::vector<TileValue> r = x;
  for (size_t v = 0; v < x.size(); ++v)
    for (size_t p = 0; p < x[v].size(); ++p)
      for (size_t c = 0; c < x[v][p].size(); ++c) {
        llvm::PHINode* phi = b_.CreatePHI(x[v][p][c]->getType(), 2);
        phi->addIncoming(x[v][p][c], from_x);
        phi->addIncoming(y[v][p][c], from_y);
        r[v][p][c] = phi;
      }
  return r;
}

std::vector<TileValue> KernelEmitter::straight(const Region& r, const Done& done) {
  const RareParts rare(r);
  for (size_t at = 0; at < r.body.size(); ++at) {
    const Instruction& i = r.body[at];
    if (done.count(&i) || rare.is_deferred(i)) continue;
    if (i.op == Op::yield) {
      std::vector<TileValue> results;
      for (const ValueId v : i.operands) results.push_back(stored(v));
      return results;
    }
    if (works_by_window(i))
      emit_windows(r, window_group(r, at, rare, done), rare, done);
    else
      emit_or_defer(i, rare, done);
  }
  return {};
}

void KernelEmitter::emit_or_defer(const Instruction& i, const RareParts& rare, const Done& done) {
  if (rare.of(i).empty())
    instruction(i);
  else
    emit_rare(i, rare, done);
}

/// rare(cond, fast, slow): `slow` is computed only where some lane of the tile has cond.
void KernelEmitter::emit_rare(const Instruction& i, const RareParts& rare, const Done& done) {
  llvm::Value* any = rare_test(b_, use(i.operands[0]));
  const TileValue common = use(i.operands[1]);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *slow = block("rare"), *join = block("common");
  b_.CreateCondBr(any, slow, join, unlikely());
  b_.SetInsertPoint(slow);
  for (const Instruction* part : rare.of(i))
    if (!done.count(part)) instruction(*part);
  const TileValue mixed = value_of(i);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  define(i.results[0], merge({common}, before, {mixed}, end)[0]);
}

}  // namespace sinter::llvm_codegen
