// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/element_loop.h"

#include <functional>

#include "codegen/llvm/element_codec.h"

namespace sinter::llvm_codegen {

namespace {

/// Compute types in a buffer on the stack; booleans are bytes there.
class StackTile {
 public:
  StackTile(Builder& b, KernelFrame& frame, const Box& box)
      : b_(b),
        box_(box),
        storage_(scalar::compute_type(frame.storage(box.pointer()))),
        element_(memory_type(b.getContext(), storage_)) {
    llvm::IRBuilder<> entry(&frame.function()->getEntryBlock(), frame.function()->getEntryBlock().begin());
    auto* type = llvm::ArrayType::get(element_, static_cast<uint64_t>(box.type().elements()));
    llvm::AllocaInst* buffer = entry.CreateAlloca(type);
    buffer->setAlignment(alignment());
    buffer_ = buffer;
  }

  llvm::Value* at(llvm::Value* number) const { return b_.CreateGEP(element_, buffer_, number); }
  void write(llvm::Value* number, llvm::Value* v) const { b_.CreateStore(encode(b_, v, storage_), at(number)); }
  llvm::Value* read(llvm::Value* number) const { return decode(b_, b_.CreateLoad(element_, at(number)), storage_); }

  llvm::Value* load_chunk(int part, int chunk) const {
    llvm::Type* type = vector_of(element_, box_.chunk_lanes());
    return decode(b_, b_.CreateAlignedLoad(type, chunk_address(part, chunk), element_alignment()), storage_);
  }
  void store_chunk(int part, int chunk, llvm::Value* v) const {
    b_.CreateAlignedStore(encode(b_, v, storage_), chunk_address(part, chunk), element_alignment());
  }

 private:
  static llvm::Align alignment() { return llvm::Align(64); }
  llvm::Align element_alignment() const { return llvm::Align(static_cast<uint64_t>(storage_.bytes())); }
  llvm::Value* chunk_address(int part, int chunk) const {
    const int64_t number = part * box_.type().part_elements() + chunk * box_.chunk_lanes();
    return at(b_.getInt64(static_cast<uint64_t>(number)));
  }

  Builder& b_;
  const Box& box_;
  DType storage_;
  llvm::Type* element_;
  llvm::Value* buffer_;
};

/// for (number = 0; number < elements; ++number) body(number)
void loop_over_elements(Builder& b, KernelFrame& frame, const Box& box, const std::function<void(llvm::Value*)>& body) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "elements", frame.function());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "elements.end", frame.function());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* number = b.CreatePHI(b.getInt64Ty(), 2);
  number->addIncoming(b.getInt64(0), before);
  body(number);
  llvm::Value* next = b.CreateAdd(number, b.getInt64(1));
  number->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(static_cast<uint64_t>(box.type().elements()))), loop, after);
  b.SetInsertPoint(after);
}

/// Where element `number` of all parts lies.
Position position(Builder& b, const Box& box, llvm::Value* number) {
  llvm::Value* elements = b.getInt64(static_cast<uint64_t>(box.type().part_elements()));
  return {b.CreateUDiv(number, elements), b.CreateURem(number, elements)};
}

/// if (condition) body()
void only_if(Builder& b, KernelFrame& frame, llvm::Value* condition, const std::function<void()>& body) {
  auto* then = llvm::BasicBlock::Create(b.getContext(), "inside", frame.function());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", frame.function());
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace

TileValue load_by_element(Builder& b, KernelFrame& frame, const Box& box, llvm::Value* fill) {
  const StackTile tile(b, frame, box);
  const DType storage = frame.storage(box.pointer());
  loop_over_elements(b, frame, box, [&](llvm::Value* number) {
    const Position at = position(b, box, number);
    tile.write(number, fill);
    only_if(b, frame, box.mask(at, 1), [&] {
      llvm::LoadInst* load =
          b.CreateAlignedLoad(box.element_type(), box.address(at), llvm::Align(static_cast<uint64_t>(storage.bytes())));
      tile.write(number, decode(b, frame.annotate(load, box.pointer()), storage));
    });
  });
  TileValue value(static_cast<size_t>(box.type().parts));
  for (int p = 0; p < box.type().parts; ++p)
    for (int c = 0; c < box.chunks(); ++c) value[static_cast<size_t>(p)].push_back(tile.load_chunk(p, c));
  return value;
}

void store_by_element(Builder& b, KernelFrame& frame, const Box& box, const TileValue& value) {
  const StackTile tile(b, frame, box);
  const DType storage = frame.storage(box.pointer());
  for (size_t p = 0; p < value.size(); ++p)
    for (size_t c = 0; c < value[p].size(); ++c)
      tile.store_chunk(static_cast<int>(p), static_cast<int>(c), value[p][c]);
  loop_over_elements(b, frame, box, [&](llvm::Value* number) {
    const Position at = position(b, box, number);
    only_if(b, frame, box.mask(at, 1), [&] {
      llvm::StoreInst* store = b.CreateAlignedStore(encode(b, tile.read(number), storage), box.address(at),
                                                    llvm::Align(static_cast<uint64_t>(storage.bytes())));
      frame.annotate(store, box.pointer());
    });
  });
}

}  // namespace sinter::llvm_codegen
