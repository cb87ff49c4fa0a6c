// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/tile_buffer.h"

#include "codegen/llvm/element_codec.h"

namespace sinter::llvm_codegen {

TileBuffer TileBuffer::make(Builder& b, KernelFrame& frame, DType compute, int64_t elements) {
  return {b, frame.stack(memory_type(b.getContext(), compute), elements, compute.bytes()), compute};
}

llvm::Value* TileBuffer::load(llvm::Value* number, int lanes) const {
  llvm::Value* address = b_->CreateGEP(element(), pointer_, number);
  return decode(*b_, b_->CreateAlignedLoad(vector_of(element(), lanes), address, alignment()), compute_);
}

void TileBuffer::store(llvm::Value* number, llvm::Value* chunk) const {
  b_->CreateAlignedStore(encode(*b_, chunk, compute_), b_->CreateGEP(element(), pointer_, number), alignment());
}

TileValue TileBuffer::load_all(const tile_ir::Type& type, int lanes) const {
  TileValue value(static_cast<size_t>(type.parts));
  int64_t number = 0;
  for (Chunks& part : value)
    for (int64_t e = 0; e < type.part_elements(); e += lanes, number += lanes)
      part.push_back(load(b_->getInt64(static_cast<uint64_t>(number)), lanes));
  return value;
}

void TileBuffer::store_all(const TileValue& value) const {
  int64_t number = 0;
  for (const Chunks& part : value) {
    for (llvm::Value* chunk : part) {
      store(b_->getInt64(static_cast<uint64_t>(number)), chunk);
      number += lanes_of(chunk);
    }
  }
}

void TileBuffer::copy_from(const TileBuffer& other, int64_t elements) const {
  const auto bytes = static_cast<uint64_t>(elements * compute_.bytes());
  b_->CreateMemMove(pointer_, llvm::MaybeAlign(64), other.pointer_, llvm::MaybeAlign(64), bytes);
}

}  // namespace sinter::llvm_codegen
