// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/kernel_frame.h"

namespace sinter::llvm_codegen {

/// Elements of a compute type on the stack, by number: part after part, each row-major. Booleans are bytes there.
class TileBuffer {
 public:
  /// A new buffer, kept for the whole call. Throws CompileError when a kernel needs more stack than a thread can give.
  static TileBuffer make(Builder& b, KernelFrame& frame, DType compute, int64_t elements);
  TileBuffer(Builder& b, llvm::Value* pointer, DType compute) : b_(&b), pointer_(pointer), compute_(compute) {}

  llvm::Value* pointer() const { return pointer_; }
  /// `lanes` neighbours from element `number` (i64) on.
  llvm::Value* load(llvm::Value* number, int lanes) const;
  void store(llvm::Value* number, llvm::Value* chunk) const;
  /// A whole tile in chunks of `lanes`.
  TileValue load_all(const tile_ir::Type& type, int lanes) const;
  void store_all(const TileValue& value) const;
  /// The two do not overlap, or are the same.
  void copy_from(const TileBuffer& other, int64_t elements) const;

 private:
  llvm::Type* element() const { return memory_type(b_->getContext(), compute_); }
  llvm::Align alignment() const { return llvm::Align(static_cast<uint64_t>(compute_.bytes())); }

  Builder* b_;
  llvm::Value* pointer_;
  DType compute_;
};

}  // namespace sinter::llvm_codegen
