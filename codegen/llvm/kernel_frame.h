// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/llvm/tile_value.h"

namespace llvm {
class Instruction;
class MDNode;
}  // namespace llvm

namespace sinter::llvm_codegen {

/// The entry function of a kernel: its parameters as loaded from the slots, and what is known about its pointers.
class KernelFrame {
 public:
  /// Appends the function to the module and loads the slots; the builder stands at the end of its entry block.
  KernelFrame(llvm::Module& module, Builder& b, const tile_ir::Kernel& kernel, int vector_bits);

  llvm::Function* function() const { return function_; }
  llvm::Value* begin() const;
  llvm::Value* end() const;
  llvm::Value* parameter(int index) const { return parameters_[static_cast<size_t>(index)]; }
  const tile_ir::Kernel& kernel() const { return kernel_; }
  DType storage(int pointer) const { return kernel_.parameters[static_cast<size_t>(pointer)].dtype; }
  int lanes() const { return vector_bits_ / 32; }
  int vector_bytes() const { return vector_bits_ / 8; }
  /// Can the machine load or store a vector of elements behind this pointer from single addresses?
  bool has_gather(int pointer) const { return is_x86_ && storage(pointer).bits() >= 32; }
  bool has_scatter(int pointer) const { return has_gather(pointer) && vector_bits_ == 512; }
  /// A new array on the stack, kept for the whole call. Throws CompileError when a kernel needs more than a thread has.
  llvm::Value* stack(llvm::Type* element, int64_t count, int element_bytes);
  /// Eight bytes on the stack that lanes without an element may read and write.
  llvm::Value* spare();

  /// Marks an access through a pointer with what the parameters promise.
  llvm::Instruction* annotate(llvm::Instruction* access, int pointer) const;
  /// Marks a store as going past the caches; the entry ends with a fence then.
  void mark_streaming(llvm::Instruction* store);
  bool has_streaming() const { return has_streaming_; }

 private:
  void load_slots(Builder& b);
  void make_scopes();

  const tile_ir::Kernel& kernel_;
  int vector_bits_;
  llvm::Function* function_;
  std::vector<llvm::Value*> parameters_;
  std::vector<llvm::MDNode*> own_scope_, other_scopes_;
  bool has_streaming_ = false;
  bool is_x86_;
  int64_t stack_bytes_ = 0;
  llvm::Value* spare_ = nullptr;
};

}  // namespace sinter::llvm_codegen
