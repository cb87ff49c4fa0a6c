// SPDX-License-Identifier: Apache-2.0
// Loops, ifs and status words.
#include <llvm/IR/Module.h>

#include "codegen/llvm/emitter.h"

namespace sinter::llvm_codegen {

/// The carried values at the begin of an iteration: phis of chunks; a large tile in a buffer of its own.
std::vector<TileValue> KernelEmitter::carry(const Instruction& i, llvm::BasicBlock* before,
                                            std::vector<llvm::PHINode*>& phis) {
  std::vector<TileValue> carried;
  for (size_t k = 3; k < i.operands.size(); ++k) {
    carried.push_back(stored(i.operands[k]));
    if (is_large(type_of(i.operands[k]))) {
      carried.back() = stored(i.results[k - 3]);
      continue;
    }
    for (Chunks& part : carried.back())
      for (llvm::Value*& chunk : part) {
        phis.push_back(b_.CreatePHI(chunk->getType(), 2));
        phis.back()->addIncoming(chunk, before);
        chunk = phis.back();
      }
  }
  return carried;
}

/// Hands the next values to the next iteration. Buffers are read before any is written: values may change places.
void KernelEmitter::carry_on(const Instruction& i, const std::vector<TileValue>& carried,
                             const std::vector<TileValue>& next, const std::vector<llvm::PHINode*>& phis) {
  std::vector<std::pair<size_t, TileBuffer>> copies;
  for (size_t k = 0; k < next.size(); ++k) {
    const tile_ir::Type& t = type_of(i.results[k]);
    if (!is_large(t)) continue;
    copies.emplace_back(k, TileBuffer::make(b_, frame_, t.dtype, t.elements()));
    copies.back().second.copy_from(TileBuffer(b_, next[k][0][0], t.dtype), t.elements());
  }
  for (const auto& [k, copy] : copies)
    TileBuffer(b_, carried[k][0][0], type_of(i.results[k]).dtype).copy_from(copy, type_of(i.results[k]).elements());
  size_t phi = 0;
  for (size_t k = 0; k < next.size(); ++k) {
    if (is_large(type_of(i.results[k]))) continue;
    for (const Chunks& part : next[k])
      for (llvm::Value* chunk : part) phis[phi++]->addIncoming(chunk, b_.GetInsertBlock());
  }
}

void KernelEmitter::loop(const Instruction& i) {
  llvm::Value *lo = scalar_use(i.operands[0]), *hi = scalar_use(i.operands[1]), *step = scalar_use(i.operands[2]);
  const Region& r = i.regions[0];
  std::vector<TileValue> initial;
  for (size_t k = 0; k < i.results.size(); ++k) {
    const tile_ir::Type& t = type_of(i.results[k]);
    initial.push_back(stored(i.operands[k + 3]));
    if (!is_large(t)) continue;
    const TileBuffer own = TileBuffer::make(b_, frame_, t.dtype, t.elements());
    own.copy_from(buffer_of(i.operands[k + 3]), t.elements());
    define_stored(i.results[k], {{own.pointer()}});
    initial.back() = stored(i.results[k]);
  }
  llvm::BasicBlock *before = b_.GetInsertBlock(), *body = block("for"), *after = block("for.end");
  b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* induction = b_.CreatePHI(b_.getInt64Ty(), 2);
  induction->addIncoming(lo, before);
  define_stored(r.arguments[0], {{induction}});
  std::vector<llvm::PHINode*> phis;
  std::vector<TileValue> carried = carry(i, before, phis);
  for (size_t k = 0; k < carried.size(); ++k) define_stored(r.arguments[k + 1], carried[k]);
  std::vector<TileValue> next = region(r);
  carry_on(i, carried, next, phis);
  llvm::Value* following = b_.CreateAdd(induction, step);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  induction->addIncoming(following, end);
  b_.CreateCondBr(b_.CreateICmpSLT(following, hi), body, after);
  b_.SetInsertPoint(after);
  for (size_t k = 0; k < next.size(); ++k)
    if (is_large(type_of(i.results[k]))) next[k] = carried[k];
  const std::vector<TileValue> results = merge(initial, before, next, end);
  for (size_t k = 0; k < results.size(); ++k) define_stored(i.results[k], results[k]);
}

void KernelEmitter::branch(const Instruction& i) {
  llvm::BasicBlock *then = block("then"), *otherwise = block("else"), *join = block("fi");
  b_.CreateCondBr(scalar_use(i.operands[0]), then, otherwise);
  b_.SetInsertPoint(then);
  const std::vector<TileValue> x = region(i.regions[0]);
  llvm::BasicBlock* then_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(otherwise);
  const std::vector<TileValue> y = region(i.regions[1]);
  llvm::BasicBlock* otherwise_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  const std::vector<TileValue> results = merge(x, then_end, y, otherwise_end);
  for (size_t k = 0; k < results.size(); ++k) define_stored(i.results[k], results[k]);
}

/// The first one to find the word 0 sets it.
void KernelEmitter::status_check(const Instruction& i) {
  llvm::BasicBlock *bad = block("bad"), *good = block("good");
  b_.CreateCondBr(any_lane(use(i.operands[0])), bad, good, unlikely());
  b_.SetInsertPoint(bad);
  llvm::Type* word = memory_type(b_.getContext(), frame_.storage(i.index));
  b_.CreateAtomicCmpXchg(frame_.parameter(i.index), llvm::ConstantInt::get(word, 0),
                         llvm::ConstantInt::get(word, i.bits), llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic,
                         llvm::AtomicOrdering::Monotonic);
  b_.CreateBr(good);
  b_.SetInsertPoint(good);
}

/// Other threads' stores before their arrivals are seen after the last arrival.
llvm::Value* KernelEmitter::arrive(const Instruction& i) {
  llvm::Value* word = b_.CreateInBoundsGEP(b_.getInt32Ty(), frame_.parameter(i.index), scalar_use(i.operands[0]));
  llvm::Value* before = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, b_.getInt32(1), llvm::MaybeAlign(4),
                                           llvm::AtomicOrdering::AcquireRelease);
  llvm::Value* others = b_.CreateSub(b_.CreateTrunc(scalar_use(i.operands[1]), b_.getInt32Ty()), b_.getInt32(1));
  llvm::Value* last = b_.CreateICmpEQ(before, others);
  llvm::BasicBlock *reset = block("last"), *join = block("arrived");
  b_.CreateCondBr(last, reset, join);
  b_.SetInsertPoint(reset);
  b_.CreateAlignedStore(b_.getInt32(0), word, llvm::Align(4));
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  return last;
}

llvm::Value* KernelEmitter::any_lane(const TileValue& condition) {
  llvm::Value* any = nullptr;
  for (const Chunks& part : condition)
    for (llvm::Value* chunk : part) any = any ? b_.CreateOr(any, chunk) : chunk;
  return lanes_of(any) == 1 ? any : b_.CreateOrReduce(any);
}

llvm::MDNode* KernelEmitter::unlikely() const {
  llvm::LLVMContext& context = module_.getContext();
  const auto number = [&](uint32_t n) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), n));
  };
  return llvm::MDNode::get(context, {llvm::MDString::get(context, "branch_weights"), number(1), number(2000)});
}

}  // namespace sinter::llvm_codegen
