// SPDX-License-Identifier: Apache-2.0
// Programs that take tickets and wait for the one before: what a program's pieces end with goes from one to the next. A
// value is cut into halves of 32 bits, each of which is a word with the number of the program that it is of; such a
// word is stored and loaded as one, so that nothing else needs an order.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <functional>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/scan.h"

namespace sinter::llvm_codegen {
namespace {

constexpr int64_t first_place = 4;  ///< in words of 32 bits

/// Places of a ring behind the words of a kernel.
class Ring {
 public:
  Ring(Builder& b, llvm::Value* words, const Instruction& in, const std::vector<DType>& types)
      : b_(b), places_(static_cast<int64_t>(in.bits)), types_(types) {
    for (DType t : types) halves_ += t.bits() == 64 ? 2 : 1;
    base_ = b.CreateInBoundsGEP(b.getInt32Ty(), words, b.getInt64(first_place));
  }

  int64_t words() const { return places_ * halves_; }
  llvm::Value* word(llvm::Value* at) { return b_.CreateInBoundsGEP(b_.getInt64Ty(), base_, at); }

  /// Each round through the ring has a tag of its own, none of them 0.
  llvm::Value* tag(llvm::Value* number) {
    llvm::Value* round = b_.CreateAdd(b_.CreateUDiv(number, i64(places_)), i64(1));
    return b_.CreateShl(b_.CreateAnd(round, i64(0x7fffffff)), i64(32));
  }

  void put(llvm::Value* number, const std::vector<llvm::Value*>& values) {
    llvm::Value* of_number = tag(number);
    int half = 0;
    for (size_t k = 0; k < values.size(); ++k)
      for (llvm::Value* bits : halves(values[k], types_[k])) {
        llvm::StoreInst* store =
            b_.CreateAlignedStore(b_.CreateOr(of_number, bits), place(number, half++), llvm::Align(8));
        store->setAtomic(llvm::AtomicOrdering::Monotonic);
      }
  }

  /// The words of a program; `are_there` says whether it put them.
  std::vector<llvm::Value*> load(llvm::Value* number, llvm::Value*& are_there) {
    llvm::Value* of_number = tag(number);
    are_there = b_.getTrue();
    std::vector<llvm::Value*> words;
    for (int half = 0; half < halves_; ++half) {
      llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getInt64Ty(), place(number, half), llvm::Align(8));
      load->setAtomic(llvm::AtomicOrdering::Monotonic);
      words.push_back(load);
      llvm::Value* of_word = b_.CreateAnd(load, i64(static_cast<int64_t>(0xffffffff00000000u)));
      are_there = b_.CreateAnd(are_there, b_.CreateICmpEQ(of_word, of_number));
    }
    return words;
  }

  std::vector<llvm::Value*> values(const std::vector<llvm::Value*>& words) {
    std::vector<llvm::Value*> result;
    size_t half = 0;
    for (DType t : types_) {
      llvm::Value* bits = b_.CreateAnd(words[half++], i64(0xffffffff));
      if (t.bits() == 64) bits = b_.CreateOr(bits, b_.CreateShl(words[half++], i64(32)));
      llvm::Type* type = register_type(b_.getContext(), t);
      llvm::Value* narrow = b_.CreateTrunc(bits, b_.getIntNTy(type->getPrimitiveSizeInBits().getFixedValue()));
      result.push_back(b_.CreateBitCast(narrow, type));
    }
    return result;
  }

 private:
  llvm::Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  llvm::Value* place(llvm::Value* number, int half) {
    llvm::Value* at = b_.CreateMul(b_.CreateURem(number, i64(places_)), i64(halves_));
    return word(b_.CreateAdd(at, i64(half)));
  }
  std::vector<llvm::Value*> halves(llvm::Value* value, DType t) {
    llvm::Type* type = value->getType();
    llvm::Value* bits = b_.CreateBitCast(value, b_.getIntNTy(type->getPrimitiveSizeInBits().getFixedValue()));
    bits = b_.CreateZExt(bits, b_.getInt64Ty());
    if (t.bits() != 64) return {bits};
    return {b_.CreateAnd(bits, i64(0xffffffff)), b_.CreateLShr(bits, i64(32))};
  }

  Builder& b_;
  int64_t places_;
  std::vector<DType> types_;
  int halves_ = 0;
  llvm::Value* base_;
};

using NewBlock = std::function<llvm::BasicBlock*(const char*)>;

/// Goes round until the condition holds. Whoever is waited for may need this thread's processor: now and then it gives
/// way, since with more threads than processors each step of the chain would else take the rest of a time slice.
template <class Condition>
void wait_until(Builder& b, llvm::Module& module, const NewBlock& block, const Condition& condition) {
  constexpr int spins = 256;
  llvm::BasicBlock *before = b.GetInsertBlock(), *loop = block("wait"), *again = block("again"),
                   *give_way = block("give_way"), *end = block("found");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* tries = b.CreatePHI(b.getInt32Ty(), 3);
  tries->addIncoming(b.getInt32(1), before);
  b.CreateCondBr(condition(), end, again);
  b.SetInsertPoint(again);
  if (llvm::Triple(module.getTargetTriple()).isX86()) b.CreateIntrinsic(llvm::Intrinsic::x86_sse2_pause, {}, {});
  llvm::Value* next = b.CreateAdd(tries, b.getInt32(1));
  llvm::Value* keeps = b.CreateICmpNE(b.CreateAnd(tries, b.getInt32(spins - 1)), b.getInt32(0));
  b.CreateCondBr(keeps, loop, give_way);
  b.SetInsertPoint(give_way);
  b.CreateCall(module.getOrInsertFunction("sched_yield", llvm::FunctionType::get(b.getInt32Ty(), false)));
  b.CreateBr(loop);
  tries->addIncoming(next, again);
  tries->addIncoming(next, give_way);
  b.SetInsertPoint(end);
}

/// Counts this program; the last one of `count` waits until all are counted and clears the ring.
void clear_when_all_are_done(Builder& b, llvm::Module& module, Ring& ring, llvm::Value* words, llvm::Value* number,
                             llvm::Value* count, const NewBlock& block) {
  llvm::Value* done = b.CreateInBoundsGEP(b.getInt32Ty(), words, b.getInt64(1));
  b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, done, b.getInt32(1), llvm::MaybeAlign(4),
                    llvm::AtomicOrdering::AcquireRelease);
  llvm::BasicBlock *others = block("others"), *zero = block("zero"), *end = block("scanned");
  b.CreateCondBr(b.CreateICmpEQ(number, b.CreateSub(count, b.getInt64(1))), others, end);
  b.SetInsertPoint(others);
  wait_until(b, module, block, [&] {
    llvm::LoadInst* counted = b.CreateAlignedLoad(b.getInt32Ty(), done, llvm::Align(4));
    counted->setAtomic(llvm::AtomicOrdering::Acquire);
    return b.CreateICmpEQ(counted, b.CreateTrunc(count, b.getInt32Ty()));
  });
  llvm::BasicBlock* clear = b.GetInsertBlock();
  b.CreateAlignedStore(b.getInt32(0), done, llvm::Align(4));
  b.CreateBr(zero);
  b.SetInsertPoint(zero);
  llvm::PHINode* at = b.CreatePHI(b.getInt64Ty(), 2);
  at->addIncoming(b.getInt64(0), clear);
  b.CreateAlignedStore(b.getInt64(0), ring.word(at), llvm::Align(8));
  llvm::Value* next = b.CreateAdd(at, b.getInt64(1));
  at->addIncoming(next, zero);
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(static_cast<uint64_t>(ring.words()))), zero, end);
  b.SetInsertPoint(end);
}

}  // namespace

llvm::Value* KernelEmitter::ticket(const Instruction& i) {
  llvm::Value* word = frame_.parameter(i.index);
  llvm::Value* number = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word, b_.getInt32(1), llvm::MaybeAlign(4),
                                           llvm::AtomicOrdering::AcquireRelease);
  llvm::Value* last = b_.CreateSub(b_.CreateTrunc(scalar_use(i.operands[0]), b_.getInt32Ty()), b_.getInt32(1));
  llvm::BasicBlock *reset = block("last.ticket"), *join = block("ticket");
  b_.CreateCondBr(b_.CreateICmpEQ(number, last), reset, join);
  b_.SetInsertPoint(reset);
  b_.CreateAlignedStore(b_.getInt32(0), word, llvm::Align(4));
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  return b_.CreateZExt(number, b_.getInt64Ty());
}

/// Waits for what the program before ends with, and puts what this one ends with. It waits for one of another row too,
/// so that none comes round to a place that is still to be read.
void KernelEmitter::grid_scan(const Instruction& i) {
  std::vector<DType> types;
  std::vector<llvm::Value*> own;
  for (size_t k = 3; k < i.operands.size(); ++k) {
    types.push_back(type_of(i.operands[k]).dtype);
    own.push_back(use(i.operands[k])[0][0]);
  }
  llvm::Value* words = frame_.parameter(i.index);
  llvm::Value *number = scalar_use(i.operands[0]), *piece = scalar_use(i.operands[1]);
  Ring ring(b_, words, i, types);
  const NewBlock new_block = [this](const char* name) { return block(name); };
  llvm::BasicBlock *alone = block("first"), *after = block("after"), *join = block("put");
  b_.CreateCondBr(b_.CreateICmpEQ(number, b_.getInt64(0)), alone, after);
  b_.SetInsertPoint(alone);
  ring.put(number, own);
  b_.CreateBr(join);
  b_.SetInsertPoint(after);
  std::vector<llvm::Value*> put;
  wait_until(b_, module_, new_block, [&] {
    llvm::Value* are_there = nullptr;
    put = ring.load(b_.CreateSub(number, b_.getInt64(1)), are_there);
    return are_there;
  });
  std::vector<llvm::Value*> before = ring.values(put), all = emit_combine(b_, i.regions[0], before, own);
  llvm::Value* starts = b_.CreateICmpEQ(piece, b_.getInt64(0));
  for (size_t k = 0; k < own.size(); ++k) {
    before[k] = b_.CreateSelect(starts, own[k], before[k]);
    all[k] = b_.CreateSelect(starts, own[k], all[k]);
  }
  ring.put(number, all);
  llvm::BasicBlock* found_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  for (size_t k = 0; k < own.size(); ++k) {
    llvm::PHINode* phi = b_.CreatePHI(own[k]->getType(), 2);
    phi->addIncoming(own[k], alone);
    phi->addIncoming(before[k], found_end);
    define(i.results[k], {{phi}});
  }
  clear_when_all_are_done(b_, module_, ring, words, number, scalar_use(i.operands[2]), new_block);
}

}  // namespace sinter::llvm_codegen
