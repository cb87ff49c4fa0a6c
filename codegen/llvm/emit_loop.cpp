// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/emit_loop.h"

namespace sinter::llvm_codegen {

void emit_counted_loop(Builder& b, int64_t count, int64_t step, const std::function<void(llvm::Value*)>& body) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "elements", before->getParent());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "elements.end", before->getParent());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* number = b.CreatePHI(b.getInt64Ty(), 2);
  number->addIncoming(b.getInt64(0), before);
  body(number);
  llvm::Value* next =
      b.CreateAdd(number, b.getInt64(static_cast<uint64_t>(step)), "", /*HasNUW=*/true, /*HasNSW=*/true);
  number->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(static_cast<uint64_t>(count))), loop, after);
  b.SetInsertPoint(after);
}

}  // namespace sinter::llvm_codegen
