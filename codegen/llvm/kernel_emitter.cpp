// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/kernel_emitter.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"

namespace sinter::llvm_codegen {

KernelEmitter::KernelEmitter(llvm::Module& module, const tile_ir::Kernel& kernel, int vector_bits)
    : module_(module),
      b_(module.getContext()),
      frame_(module, b_, kernel, vector_bits),
      values_(static_cast<size_t>(kernel.value_count)),
      types_(tile_ir::value_types(kernel)) {}

/// for (program = begin; program < end; ++program) body
void KernelEmitter::run() {
  llvm::BasicBlock *entry = b_.GetInsertBlock(), *loop = block("program"), *exit = block("exit");
  b_.CreateCondBr(b_.CreateICmpSLT(frame_.begin(), frame_.end()), loop, exit);
  b_.SetInsertPoint(loop);
  llvm::PHINode* program = b_.CreatePHI(b_.getInt64Ty(), 2, "program");
  program->addIncoming(frame_.begin(), entry);
  program_ = program;
  region(frame_.kernel().body);
  llvm::Value* next = b_.CreateNSWAdd(program, b_.getInt64(1));
  program->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, frame_.end()), loop, exit);
  b_.SetInsertPoint(exit);
  if (frame_.has_streaming() && llvm::Triple(module_.getTargetTriple()).isX86())
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  b_.CreateRetVoid();
}

int KernelEmitter::chunk_lanes(const tile_ir::Type& t) const {
  return t.is_tile ? static_cast<int>(std::min<int64_t>(t.part_elements(), frame_.lanes())) : 1;
}

Position KernelEmitter::position(const tile_ir::Type& t, size_t part, size_t chunk) const {
  llvm::Value* lane = b_.getInt64(chunk * static_cast<uint64_t>(chunk_lanes(t)));
  return in_window(t) ? Position{window_->part, b_.CreateAdd(window_->lane, lane)} : Position{b_.getInt64(part), lane};
}

TileValue KernelEmitter::use(ValueId v) {
  const tile_ir::Type& t = type_of(v);
  if (!is_large(t)) return stored(v);
  return window_ ? window_of(v) : buffer_of(v).load_all(t, chunk_lanes(t));
}

void KernelEmitter::define(ValueId v, TileValue value) {
  const tile_ir::Type& t = type_of(v);
  if (!is_large(t)) return define_stored(v, std::move(value));
  if (window_) {
    window_->values[v] = std::move(value);
    return;
  }
  const TileBuffer buffer = TileBuffer::make(b_, frame_, t.dtype, t.elements());
  buffer.store_all(value);
  define_stored(v, {{buffer.pointer()}});
}

void emit_kernel(llvm::Module& module, const tile_ir::Kernel& kernel, int vector_bits) {
  KernelEmitter(module, kernel, vector_bits).run();
}

}  // namespace sinter::llvm_codegen
