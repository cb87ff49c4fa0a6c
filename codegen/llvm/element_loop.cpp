// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/element_loop.h"

#include <functional>

#include "codegen/llvm/element_codec.h"
#include "codegen/llvm/emit_loop.h"
#include "codegen/llvm/tile_buffer.h"

namespace sinter::llvm_codegen {

namespace {

TileBuffer buffer_of(Builder& b, KernelFrame& frame, const Box& box) {
  return TileBuffer::make(b, frame, scalar::compute_type(frame.storage(box.pointer())), box.type().elements());
}

/// Where element `number` of all parts lies.
Position position(Builder& b, const Box& box, llvm::Value* number) {
  llvm::Value* elements = b.getInt64(static_cast<uint64_t>(box.type().part_elements()));
  return {b.CreateUDiv(number, elements), b.CreateURem(number, elements)};
}

/// if (condition) body()
void only_if(Builder& b, llvm::Value* condition, const std::function<void()>& body) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* then = llvm::BasicBlock::Create(b.getContext(), "inside", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace

TileValue load_by_element(Builder& b, KernelFrame& frame, const Box& box, llvm::Value* fill) {
  const TileBuffer tile = buffer_of(b, frame, box);
  const DType storage = frame.storage(box.pointer());
  const llvm::Align alignment(static_cast<uint64_t>(storage.bytes()));
  emit_counted_loop(b, box.type().elements(), 1, [&](llvm::Value* number) {
    const Position at = position(b, box, number);
    tile.store(number, fill);
    only_if(b, box.mask(at, 1), [&] {
      llvm::LoadInst* load = b.CreateAlignedLoad(box.element_type(), box.address(at), alignment);
      tile.store(number, decode(b, frame.annotate(load, box.pointer()), storage));
    });
  });
  return tile.load_all(box.type(), box.chunk_lanes());
}

void store_by_element(Builder& b, KernelFrame& frame, const Box& box, const TileValue& value) {
  const TileBuffer tile = buffer_of(b, frame, box);
  const DType storage = frame.storage(box.pointer());
  const llvm::Align alignment(static_cast<uint64_t>(storage.bytes()));
  tile.store_all(value);
  emit_counted_loop(b, box.type().elements(), 1, [&](llvm::Value* number) {
    const Position at = position(b, box, number);
    only_if(b, box.mask(at, 1), [&] {
      llvm::Value* element = encode(b, tile.load(number, 1), storage);
      frame.annotate(b.CreateAlignedStore(element, box.address(at), alignment), box.pointer());
    });
  });
}

}  // namespace sinter::llvm_codegen
