// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/kernel_frame.h"

#include <fmt/format.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <sinter/error.h>

#include <string>

namespace sinter::llvm_codegen {

KernelFrame::KernelFrame(llvm::Module& module, Builder& b, const tile_ir::Kernel& kernel, int vector_bits)
    : kernel_(kernel), vector_bits_(vector_bits), is_x86_(llvm::Triple(module.getTargetTriple()).isX86()) {
  llvm::Type* i64_type = b.getInt64Ty();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), i64_type, i64_type}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel.name, module);
  function_->setDoesNotThrow();
  // Both are needed for the full width on machines that LLVM tunes for half of it.
  function_->addFnAttr("prefer-vector-width", std::to_string(vector_bits));
  function_->addFnAttr("min-legal-vector-width", std::to_string(vector_bits));
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(0, llvm::Attribute::ReadOnly);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function_));
  make_scopes();
  load_slots(b);
}

llvm::Value* KernelFrame::stack(llvm::Type* element, int64_t count, int element_bytes) {
  constexpr int64_t limit = int64_t{1} << 20;
  stack_bytes_ += count * element_bytes;
  if (stack_bytes_ > limit)
    throw CompileError({.op = kernel_.name,
                        .what = fmt::format("its tiles need more than {} KiB of stack on the CPU", limit >> 10),
                        .line = {},
                        .context = {},
                        .fix = "use smaller tiles in a loop"});
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  llvm::AllocaInst* array = top.CreateAlloca(llvm::ArrayType::get(element, static_cast<uint64_t>(count)));
  array->setAlignment(llvm::Align(64));
  return array;
}

llvm::Value* KernelFrame::spare() {
  if (!spare_) spare_ = stack(llvm::Type::getInt64Ty(function_->getContext()), 1, 8);
  return spare_;
}

llvm::Value* KernelFrame::begin() const { return function_->getArg(1); }
llvm::Value* KernelFrame::end() const { return function_->getArg(2); }

void KernelFrame::load_slots(Builder& b) {
  for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const tile_ir::Parameter& p = kernel_.parameters[i];
    llvm::Value* slot = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function_->getArg(0), i);
    if (p.is_pointer) {
      llvm::LoadInst* pointer = b.CreateAlignedLoad(b.getPtrTy(), slot, llvm::Align(8), p.name);
      if (p.alignment > 1) {
        llvm::Metadata* bytes = llvm::ConstantAsMetadata::get(b.getInt64(static_cast<uint64_t>(p.alignment)));
        pointer->setMetadata(llvm::LLVMContext::MD_align, llvm::MDNode::get(b.getContext(), bytes));
      }
      parameters_.push_back(pointer);
    } else if (p.dtype.is_boolean()) {
      parameters_.push_back(
          b.CreateICmpNE(b.CreateAlignedLoad(b.getInt8Ty(), slot, llvm::Align(8)), b.getInt8(0), p.name));
    } else {
      parameters_.push_back(b.CreateAlignedLoad(register_type(b.getContext(), p.dtype), slot, llvm::Align(8), p.name));
    }
  }
}

void KernelFrame::make_scopes() {
  llvm::LLVMContext& context = function_->getContext();
  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(kernel_.name);
  std::vector<llvm::MDNode*> scopes;
  for (const tile_ir::Parameter& p : kernel_.parameters)
    scopes.push_back(metadata.createAnonymousAliasScope(domain, p.name));
  const auto apart = [](const tile_ir::Parameter& p, const tile_ir::Parameter& q) {
    return p.is_pointer && q.is_pointer && ((p.no_alias && q.written) || (q.no_alias && p.written));
  };
  for (size_t i = 0; i < scopes.size(); ++i) {
    std::vector<llvm::Metadata*> others;
    for (size_t k = 0; k < scopes.size(); ++k)
      if (k != i && apart(kernel_.parameters[i], kernel_.parameters[k])) others.push_back(scopes[k]);
    own_scope_.push_back(llvm::MDNode::get(context, scopes[i]));
    other_scopes_.push_back(llvm::MDNode::get(context, others));
  }
}

llvm::Instruction* KernelFrame::annotate(llvm::Instruction* access, int pointer) const {
  const auto p = static_cast<size_t>(pointer);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, own_scope_[p]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, other_scopes_[p]);
  return access;
}

void KernelFrame::mark_streaming(llvm::Instruction* store) {
  llvm::LLVMContext& context = store->getContext();
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context, one));
  has_streaming_ = true;
}

}  // namespace sinter::llvm_codegen
