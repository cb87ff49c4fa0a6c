// SPDX-License-Identifier: Apache-2.0
// Folds of large tiles, block by block.
#include <algorithm>

#include "codegen/llvm/emit_loop.h"
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/fold.h"
#include "codegen/llvm/lane_moves.h"

namespace sinter::llvm_codegen {

namespace {

constexpr int block_bits = 10;            // 1024: one chunk of the canonical order
constexpr int partial_bits_of_block = 8;  // 256 partial sums

}  // namespace

/// Folds along the innermost dim of a large tile, if blocks of it fill vectors.
bool KernelEmitter::reduces_in_blocks(const Instruction& i) const {
  const tile_ir::Type& from = type_of(i.operands[0]);
  if (!is_large(from) || i.dim == tile_ir::parts_dim) return false;
  for (int d = i.dim + 1; d < from.rank; ++d)
    if (from.dims[static_cast<size_t>(d)] != 1) return false;
  return from.dims[static_cast<size_t>(i.dim)] >= frame_.lanes();
}

llvm::Value* KernelEmitter::load_of(const Block& block, int64_t at) const {
  return block.source.load(b_.CreateAdd(block.first, b_.getInt64(static_cast<uint64_t>(at))), frame_.lanes());
}

llvm::Value* KernelEmitter::fold_block(const Block& block, tile_ir::ReduceKind kind) {
  const bool extreme = kind == tile_ir::ReduceKind::amax || kind == tile_ir::ReduceKind::amin;
  if (extreme && block.type == f32 && block.length >= 4 * frame_.lanes()) return extreme_of_block(block, kind);
  return fold_with_care(block, kind);
}

/// What lies 256 elements apart meets as it is loaded, so that few vectors are alive.
llvm::Value* KernelEmitter::fold_with_care(const Block& block, tile_ir::ReduceKind kind) {
  const int64_t apart = std::min(block.length, int64_t{1} << partial_bits_of_block);
  TileValue partials{{}};
  for (int64_t lane = 0; lane < apart; lane += frame_.lanes()) {
    llvm::Value* v = load_of(block, lane);
    for (int64_t at = lane + apart; at < block.length; at += apart)
      v = fold_two(b_, kind, block.type, v, load_of(block, at));
    partials[0].push_back(v);
  }
  const tile_ir::Type type = tile_ir::Type::tile(block.type, {static_cast<int32_t>(apart)});
  return emit_reduce(b_, partials, type, kind, 0)[0][0];
}

/// By comparisons, which lose NaN and the sign of zero: where a NaN was seen, or the result is zero, once more with
/// care. A maximum that keeps both is six instructions on x86.
llvm::Value* KernelEmitter::extreme_of_block(const Block& block, tile_ir::ReduceKind kind) {
  const auto pick = [&](llvm::Value* x, llvm::Value* y) {
    llvm::Value* first = kind == tile_ir::ReduceKind::amax ? b_.CreateFCmpOGT(x, y) : b_.CreateFCmpOLT(x, y);
    return b_.CreateSelect(first, x, y);
  };
  const int lanes = frame_.lanes();
  llvm::Value *best[2] = {}, *unordered = nullptr;
  for (int64_t at = 0; at < block.length; at += 2 * lanes) {
    llvm::Value *x = load_of(block, at), *y = load_of(block, at + lanes), *nan = b_.CreateFCmpUNO(x, y);
    unordered = unordered ? b_.CreateOr(unordered, nan) : nan;
    llvm::Value*& own = best[at / (2 * lanes) % 2];
    own = own ? pick(own, pick(x, y)) : pick(x, y);
  }
  Chunks all{pick(best[0], best[1])};
  for (int bit = log2_of(lanes); bit-- > 0;)
    all = {pick(select_bit(b_, all, bit, false)[0], select_bit(b_, all, bit, true)[0])};
  llvm::Value* zero = b_.CreateFCmpOEQ(all[0], llvm::ConstantFP::get(all[0]->getType(), 0));
  llvm::BasicBlock *fast = b_.GetInsertBlock(), *careful = this->block("careful"), *join = this->block("extreme");
  b_.CreateCondBr(b_.CreateOr(zero, b_.CreateOrReduce(unordered)), careful, join, unlikely());
  b_.SetInsertPoint(careful);
  llvm::Value* exact = fold_with_care(block, kind);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* result = b_.CreatePHI(exact->getType(), 2);
  result->addIncoming(all[0], fast);
  result->addIncoming(exact, end);
  return result;
}

void KernelEmitter::reduce_in_blocks(const Instruction& i) {
  const tile_ir::Type& from = type_of(i.operands[0]);
  const auto kind = static_cast<tile_ir::ReduceKind>(i.index);
  const int64_t extent = from.dims[static_cast<size_t>(i.dim)],
                length = std::min<int64_t>(extent, int64_t{1} << block_bits);
  tile_ir::Type folded = from;
  folded.dims[static_cast<size_t>(i.dim)] = static_cast<int32_t>(extent / length);
  const TileBuffer source = buffer_of(i.operands[0]);
  const TileBuffer partial = TileBuffer::make(b_, frame_, from.dtype, folded.elements());
  emit_counted_loop(b_, from.elements(), length, [&](llvm::Value* number) {
    llvm::Value* one = fold_block({source, number, length, from.dtype}, kind);
    partial.store(b_.CreateUDiv(number, b_.getInt64(static_cast<uint64_t>(length))), one);
  });
  if (is_large(i.type) && folded == i.type) return define_stored(i.results[0], {{partial.pointer()}});
  const TileValue rest = partial.load_all(folded, chunk_lanes(folded));
  define(i.results[0], emit_reduce(b_, rest, folded, kind, i.dim));
}

/// Folds along a dim of a large tile behind which whole vectors lie.
bool KernelEmitter::reduces_across(const Instruction& i) const {
  constexpr int32_t most_unrolled = 64;
  const tile_ir::Type& from = type_of(i.operands[0]);
  if (!is_large(from) || i.dim == tile_ir::parts_dim) return false;
  return from.dims[static_cast<size_t>(i.dim)] <= most_unrolled && elements_behind(from, i.dim) >= frame_.lanes();
}

int64_t KernelEmitter::elements_behind(const tile_ir::Type& t, int dim) {
  int64_t n = 1;
  for (int d = dim + 1; d < t.rank; ++d) n *= t.dims[static_cast<size_t>(d)];
  return n;
}

void KernelEmitter::reduce_across(const Instruction& i) {
  const tile_ir::Type& from = type_of(i.operands[0]);
  const int32_t extent = from.dims[static_cast<size_t>(i.dim)];
  const auto behind = static_cast<uint64_t>(elements_behind(from, i.dim));
  const tile_ir::Type block_type = tile_ir::Type::tile(from.dtype, {extent, frame_.lanes()});
  const TileBuffer source = buffer_of(i.operands[0]);
  const TileBuffer folded = TileBuffer::make(b_, frame_, from.dtype, i.type.elements());
  emit_counted_loop(b_, i.type.elements(), frame_.lanes(), [&](llvm::Value* number) {
    llvm::Value* before = b_.CreateUDiv(number, b_.getInt64(behind));
    llvm::Value* first =
        b_.CreateAdd(number, b_.CreateMul(before, b_.getInt64(behind * static_cast<uint64_t>(extent - 1))));
    TileValue block{{}};
    for (int32_t k = 0; k < extent; ++k)
      block[0].push_back(
          source.load(b_.CreateAdd(first, b_.getInt64(behind * static_cast<uint64_t>(k))), frame_.lanes()));
    folded.store(number, emit_reduce(b_, block, block_type, static_cast<tile_ir::ReduceKind>(i.index), 0)[0][0]);
  });
  if (is_large(i.type)) return define_stored(i.results[0], {{folded.pointer()}});
  define(i.results[0], folded.load_all(i.type, chunk_lanes(i.type)));
}

}  // namespace sinter::llvm_codegen
