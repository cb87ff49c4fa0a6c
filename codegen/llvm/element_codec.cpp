// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/element_codec.h"

#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

llvm::Value* decode(Builder& b, llvm::Value* memory, DType storage) {
  if (storage.is_boolean()) return b.CreateICmpNE(memory, llvm::Constant::getNullValue(memory->getType()));
  if (storage == f16) return widen_f16(b, memory);
  if (storage == bf16) return widen_bf16(b, memory);
  if (storage.is_floating()) return memory;
  llvm::Type* to = vector_of(register_type(b.getContext(), scalar::compute_type(storage)), lanes_of(memory));
  return storage.is_signed() ? b.CreateSExt(memory, to) : b.CreateZExt(memory, to);
}

llvm::Value* encode(Builder& b, llvm::Value* value, DType storage) {
  if (storage == f16) return narrow_to_f16(b, value);
  if (storage == bf16) return narrow_to_bf16(b, value);
  if (storage == f32 || storage == f64) return value;
  llvm::Type* to = vector_of(memory_type(b.getContext(), storage), lanes_of(value));
  return storage.is_boolean() ? b.CreateZExt(value, to) : b.CreateTrunc(value, to);
}

}  // namespace sinter::llvm_codegen
