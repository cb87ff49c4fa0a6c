// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/tile_value.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

namespace sinter::llvm_codegen {

llvm::Type* register_type(llvm::LLVMContext& context, DType compute) {
  if (compute.is_boolean()) return llvm::Type::getInt1Ty(context);
  if (compute == f32) return llvm::Type::getFloatTy(context);
  if (compute == f64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(compute.bits()));
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType storage) {
  if (storage == f32) return llvm::Type::getFloatTy(context);
  if (storage == f64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(storage.bits()));
}

llvm::Type* vector_of(llvm::Type* element, int lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

int lanes_of(const llvm::Value* chunk) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(chunk->getType());
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

llvm::Value* splat(Builder& b, llvm::Value* scalar, int lanes) {
  return lanes == 1 ? scalar : b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

llvm::Constant* scalar_constant(llvm::LLVMContext& context, DType compute, uint64_t bits) {
  llvm::Type* type = register_type(context, compute);
  if (!compute.is_floating()) return llvm::ConstantInt::get(type, bits);
  const llvm::APInt pattern(static_cast<unsigned>(compute.bits()), bits);
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), pattern));
}

llvm::Constant* lane_constants(llvm::Type* element, const std::vector<int64_t>& values) {
  std::vector<llvm::Constant*> lanes;
  for (const int64_t v : values) lanes.push_back(llvm::ConstantInt::getSigned(element, v));
  return lanes.size() == 1 ? lanes[0] : llvm::ConstantVector::get(lanes);
}

}  // namespace sinter::llvm_codegen
