// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Module.h>

#include "codegen/llvm/block_access.h"

namespace sinter::llvm_codegen {

namespace {

/// The masked intrinsics take vectors only.
llvm::Value* as_vector(Builder& b, llvm::Value* v) {
  if (v->getType()->isVectorTy()) return v;
  return b.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(v->getType(), 1)), v, uint64_t{0});
}

llvm::Align element_alignment(const KernelFrame& frame, int pointer) {
  return llvm::Align(static_cast<uint64_t>(frame.storage(pointer).bytes()));
}

/// Without an instruction for it, every masked lane would become a branch. Instead lanes that are off go to spare
/// memory and all lanes are on.
void redirect(Builder& b, KernelFrame& frame, bool has_instruction, llvm::Value*& addresses, llvm::Value*& mask) {
  if (has_instruction || llvm::isa<llvm::Constant>(mask)) return;
  const int lanes = lanes_of(addresses);
  addresses = b.CreateSelect(mask, addresses, splat(b, frame.spare(), lanes));
  mask = splat(b, b.getTrue(), lanes);
}

}  // namespace

llvm::Value* gather_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* mask) {
  llvm::Type* element = memory_type(b.getContext(), frame.storage(pointer));
  redirect(b, frame, frame.has_gather(pointer), addresses, mask);
  const int lanes = lanes_of(addresses);
  auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
  llvm::CallInst* load = b.CreateMaskedGather(type, as_vector(b, addresses), element_alignment(frame, pointer),
                                              as_vector(b, mask), llvm::Constant::getNullValue(type));
  frame.annotate(load, pointer);
  return lanes == 1 ? b.CreateExtractElement(load, uint64_t{0}) : load;
}

void scatter_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* value,
                      llvm::Value* mask) {
  redirect(b, frame, frame.has_scatter(pointer), addresses, mask);
  frame.annotate(b.CreateMaskedScatter(as_vector(b, value), as_vector(b, addresses), element_alignment(frame, pointer),
                                       as_vector(b, mask)),
                 pointer);
}

/// One lane after the other, at once for other threads. Lanes that are off add to spare memory.
void accumulate_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* value,
                         llvm::Value* mask, tile_ir::ReduceKind fold) {
  using llvm::AtomicRMWInst;
  using tile_ir::ReduceKind;
  const DType t = frame.storage(pointer);
  const bool is_signed = t == i32 || t == i64;
  const auto operation = fold == ReduceKind::sum    ? AtomicRMWInst::Add
                         : fold == ReduceKind::amax ? (is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
                                                    : (is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin);
  redirect(b, frame, false, addresses, mask);
  addresses = as_vector(b, addresses);
  value = as_vector(b, value);
  const auto lanes = static_cast<uint64_t>(lanes_of(addresses));
  for (uint64_t lane = 0; lane < lanes; ++lane)
    b.CreateAtomicRMW(operation, b.CreateExtractElement(addresses, lane), b.CreateExtractElement(value, lane),
                      element_alignment(frame, pointer), llvm::AtomicOrdering::Monotonic);
}

}  // namespace sinter::llvm_codegen
