// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/block_access.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <numeric>

#include "codegen/llvm/access_pattern.h"
#include "codegen/llvm/element_codec.h"
#include "codegen/llvm/element_loop.h"
#include "codegen/llvm/lane_moves.h"

namespace sinter::llvm_codegen {

namespace {

/// permute_bits() argument that reads a tile with dims in the order `order` (in the memory's order) as the tile itself.
/// Bits of dim d of the tile are, lowest first, at the same dim's place in the permuted tile.
std::vector<int> bits_from_permuted(const tile_ir::Type& type, const std::vector<int>& order) {
  std::array<int, 4> place{};
  int at = 0;
  for (size_t i = order.size(); i-- > 0;) {
    place[static_cast<size_t>(order[i])] = at;
    at += log2_of(type.dims[static_cast<size_t>(order[i])]);
  }
  std::vector<int> from;
  for (int d = type.rank; d-- > 0;)
    for (int bit = 0; bit < log2_of(type.dims[static_cast<size_t>(d)]); ++bit)
      from.push_back(place[static_cast<size_t>(d)] + bit);
  return from;
}

std::vector<int> inverse(const std::vector<int>& from) {
  std::vector<int> r(from.size());
  for (size_t i = 0; i < from.size(); ++i) r[static_cast<size_t>(from[i])] = static_cast<int>(i);
  return r;
}

llvm::Value* reversed(Builder& b, llvm::Value* v) {
  std::vector<int> mask(static_cast<size_t>(lanes_of(v)));
  std::iota(mask.rbegin(), mask.rend(), 0);
  return shuffle(b, v, mask);
}

/// One access of neighbouring elements.
struct Piece {
  llvm::Value* address;
  llvm::Value* value;
};

class BlockAccess {
 public:
  BlockAccess(Builder& b, KernelFrame& frame, const tile_ir::Instruction& i, const Box& box, bool masked)
      : b_(b),
        frame_(frame),
        box_(box),
        masked_(masked),
        streaming_(i.policy == tile_ir::CachePolicy::streaming),
        storage_(frame.storage(i.index)),
        lanes_(box.chunk_lanes()),
        pattern_(access_pattern(*i.access, box.type(), frame.lanes())),
        alignment_(static_cast<uint64_t>(storage_.bytes())) {}

  /// Masked, and nothing but single elements: worth a loop unless the machine has instructions for them.
  bool goes_by_element(bool has_instruction) const { return masked_ && !neighbours_in_chunks() && !has_instruction; }

  /// Memory elements by part.
  TileValue load() {
    if (masked_) return load_masked();
    switch (pattern_.kind) {
      case AccessPattern::Kind::rows:
        return by_part([&](int p) { return load_rows(box_, p); });
      case AccessPattern::Kind::interleaved:
        return load_interleaved();
      case AccessPattern::Kind::permuted: {
        const Box memory = box_.permuted(pattern_.order);
        const std::vector<int> from = bits_from_permuted(box_.type(), pattern_.order);
        return by_part([&](int p) { return permute_bits(b_, load_rows(memory, p), from); });
      }
      case AccessPattern::Kind::elements:
        break;
    }
    return by_chunk([&](int p, int c) { return gather(box_.chunk(p, c), all()); });
  }

  void store(const TileValue& value) {
    if (masked_) return store_masked(value);
    std::vector<Piece> pieces;
    switch (pattern_.kind) {
      case AccessPattern::Kind::rows:
        for (int p = 0; p < parts(); ++p) store_rows(box_, p, value[static_cast<size_t>(p)], pieces);
        break;
      case AccessPattern::Kind::interleaved:
        store_interleaved(value, pieces);
        break;
      case AccessPattern::Kind::permuted: {
        const Box memory = box_.permuted(pattern_.order);
        const std::vector<int> from = inverse(bits_from_permuted(box_.type(), pattern_.order));
        for (int p = 0; p < parts(); ++p)
          store_rows(memory, p, permute_bits(b_, value[static_cast<size_t>(p)], from), pieces);
        break;
      }
      case AccessPattern::Kind::elements:
        for_chunks([&](int p, int c) { scatter(box_.chunk(p, c), chunk_of(value, p, c), all()); });
        return;
    }
    store_pieces(pieces);
  }

  /// One chunk; rows are long enough for it.
  llvm::Value* load_at(const Position& at) const {
    if (pattern_.kind == AccessPattern::Kind::elements) return gather(at, masked_ ? box_.mask(at, lanes_) : all());
    if (masked_) return load_row_masked(box_, at);
    if (pattern_.step > 0) return load_neighbours(box_.address(at), lanes_);
    if (pattern_.step == 0) return splat(b_, load_neighbours(box_.address(at), 1), lanes_);
    return reversed(b_, load_neighbours(box_.address(last_of(at)), lanes_));
  }

  void store_at(const std::vector<Position>& at, const Chunks& value) const {
    std::vector<Piece> pieces;
    for (size_t c = 0; c < at.size(); ++c) {
      if (pattern_.kind == AccessPattern::Kind::elements)
        scatter(at[c], value[c], masked_ ? box_.mask(at[c], lanes_) : all());
      else if (masked_)
        store_row_masked(box_, at[c], value[c]);
      else if (pattern_.step > 0)
        pieces.push_back({box_.address(at[c]), value[c]});
      else if (pattern_.step < 0)
        pieces.push_back({box_.address(last_of(at[c])), reversed(b_, value[c])});
      else
        pieces.push_back({box_.address(at[c]), shuffle(b_, value[c], {lanes_ - 1})});
    }
    store_pieces(pieces);
  }

 private:
  int parts() const { return box_.type().parts; }
  Position last_of(const Position& at) const {
    return {at.part, b_.CreateAdd(at.lane, b_.getInt64(static_cast<uint64_t>(lanes_ - 1)))};
  }
  llvm::Value* all() const { return splat(b_, b_.getTrue(), lanes_); }
  static llvm::Value* chunk_of(const TileValue& v, int part, int chunk) {
    return v[static_cast<size_t>(part)][static_cast<size_t>(chunk)];
  }

  template <class F>
  TileValue by_part(F f) const {
    TileValue r;
    for (int p = 0; p < parts(); ++p) r.push_back(f(p));
    return r;
  }
  template <class F>
  TileValue by_chunk(F f) const {
    return by_part([&](int p) {
      Chunks r;
      for (int c = 0; c < box_.chunks(); ++c) r.push_back(f(p, c));
      return r;
    });
  }
  template <class F>
  void for_chunks(F f) const {
    for (int p = 0; p < parts(); ++p)
      for (int c = 0; c < box_.chunks(); ++c) f(p, c);
  }

  llvm::Value* load_neighbours(llvm::Value* address, int lanes) const {
    llvm::LoadInst* load = b_.CreateAlignedLoad(vector_of(box_.element_type(), lanes), address, alignment_);
    return frame_.annotate(load, box_.pointer());
  }

  Chunks load_rows(const Box& box, int part) const {
    const int piece = std::min(pattern_.run, lanes_), elements = static_cast<int>(box.type().part_elements());
    Chunks pieces;
    for (int lane = 0; lane < elements; lane += piece) {
      if (pattern_.step == 0)
        pieces.push_back(splat(b_, load_neighbours(box.address(box.element(part, lane)), 1), piece));
      else if (pattern_.step > 0)
        pieces.push_back(load_neighbours(box.address(box.element(part, lane)), piece));
      else
        pieces.push_back(reversed(b_, load_neighbours(box.address(box.element(part, lane + piece - 1)), piece)));
    }
    return regroup(b_, pieces, lanes_);
  }

  int memory_part(int part) const { return pattern_.reversed_parts ? parts() - 1 - part : part; }

  TileValue load_interleaved() const {
    TileValue result(static_cast<size_t>(parts()));
    for (int c = 0; c < box_.chunks(); ++c) {
      llvm::Value* address = box_.address(box_.chunk(memory_part(0), c));
      Chunks memory;
      for (int v = 0; v < parts(); ++v)
        memory.push_back(load_neighbours(
            b_.CreateConstGEP1_64(box_.element_type(), address, static_cast<uint64_t>(v * lanes_)), lanes_));
      const Chunks apart = deinterleave(b_, memory);
      for (int p = 0; p < parts(); ++p)
        result[static_cast<size_t>(p)].push_back(apart[static_cast<size_t>(memory_part(p))]);
    }
    return result;
  }

  void store_interleaved(const TileValue& value, std::vector<Piece>& pieces) const {
    for (int c = 0; c < box_.chunks(); ++c) {
      Chunks apart;
      for (int p = 0; p < parts(); ++p) apart.push_back(chunk_of(value, memory_part(p), c));
      llvm::Value* address = box_.address(box_.chunk(memory_part(0), c));
      const Chunks memory = interleave(b_, apart);
      for (int v = 0; v < parts(); ++v)
        pieces.push_back({b_.CreateConstGEP1_64(box_.element_type(), address, static_cast<uint64_t>(v * lanes_)),
                          memory[static_cast<size_t>(v)]});
    }
  }

  void store_rows(const Box& box, int part, const Chunks& value, std::vector<Piece>& pieces) const {
    const int run = std::min(pattern_.run, lanes_);
    // Narrow elements leave in whole vectors where the run allows it.
    const int whole = std::min(pattern_.run, frame_.vector_bytes() / storage_.bytes());
    const int piece = pattern_.step == 1 ? std::max(run, whole) : run;
    const Chunks regrouped = regroup(b_, value, piece);
    for (size_t i = 0; i < regrouped.size(); ++i) {
      const int lane = static_cast<int>(i) * piece, last = lane + piece - 1;
      llvm::Value* v = regrouped[i];
      if (pattern_.step == 1) pieces.push_back({box.address(box.element(part, lane)), v});
      if (pattern_.step == -1) pieces.push_back({box.address(box.element(part, last)), reversed(b_, v)});
      if (pattern_.step == 0)
        pieces.push_back({box.address(box.element(part, last)), shuffle(b_, v, {piece - 1})});  // the last one stays
    }
  }

  void store_plainly(const std::vector<Piece>& pieces) const {
    for (const Piece& p : pieces)
      frame_.annotate(b_.CreateAlignedStore(p.value, p.address, alignment_), box_.pointer());
  }

  int bytes(const Piece& p) const { return lanes_of(p.value) * storage_.bytes(); }

  /// Streaming stores must be aligned to their vectors; whether they are is tested once for the whole tile.
  void store_pieces(const std::vector<Piece>& pieces) const {
    const bool worth =
        streaming_ && std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return bytes(p) >= 16; });
    if (!worth) return store_plainly(pieces);
    llvm::Value* misaligned = b_.getInt64(0);
    for (const Piece& p : pieces) {
      const int unit = std::min(bytes(p), frame_.vector_bytes());
      llvm::Value* number = b_.CreatePtrToInt(p.address, b_.getInt64Ty());
      misaligned = b_.CreateOr(misaligned, b_.CreateAnd(number, b_.getInt64(static_cast<uint64_t>(unit - 1))));
    }
    llvm::Function* function = frame_.function();
    auto* aligned = llvm::BasicBlock::Create(b_.getContext(), "streaming", function);
    auto* plain = llvm::BasicBlock::Create(b_.getContext(), "unaligned", function);
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "stored", function);
    b_.CreateCondBr(b_.CreateICmpEQ(misaligned, b_.getInt64(0)), aligned, plain);
    b_.SetInsertPoint(aligned);
    for (const Piece& p : pieces) {
      const llvm::Align unit(static_cast<uint64_t>(std::min(bytes(p), frame_.vector_bytes())));
      llvm::StoreInst* store = b_.CreateAlignedStore(p.value, p.address, unit);
      frame_.annotate(store, box_.pointer());
      frame_.mark_streaming(store);
    }
    b_.CreateBr(done);
    b_.SetInsertPoint(plain);
    store_plainly(pieces);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  bool neighbours_in_chunks() const {
    const bool rows = pattern_.kind == AccessPattern::Kind::rows || pattern_.kind == AccessPattern::Kind::permuted;
    return rows && pattern_.step == 1 && pattern_.run >= lanes_ && lanes_ > 1;
  }

  llvm::Value* gather(const Position& at, llvm::Value* mask) const {
    return gather_elements(b_, frame_, box_.pointer(), box_.addresses(at, lanes_), mask);
  }
  void scatter(const Position& at, llvm::Value* value, llvm::Value* mask) const {
    scatter_elements(b_, frame_, box_.pointer(), box_.addresses(at, lanes_), value, mask);
  }

  llvm::Value* load_row_masked(const Box& box, const Position& at) const {
    llvm::Type* type = vector_of(box.element_type(), lanes_);
    return frame_.annotate(b_.CreateMaskedLoad(type, box.address(at), alignment_, box.mask(at, lanes_),
                                               llvm::Constant::getNullValue(type)),
                           box.pointer());
  }
  void store_row_masked(const Box& box, const Position& at, llvm::Value* value) const {
    frame_.annotate(b_.CreateMaskedStore(value, box.address(at), alignment_, box.mask(at, lanes_)), box.pointer());
  }

  TileValue load_masked() const {
    if (!neighbours_in_chunks())
      return by_chunk([&](int p, int c) { return gather(box_.chunk(p, c), box_.mask(box_.chunk(p, c), lanes_)); });
    if (pattern_.kind == AccessPattern::Kind::rows)
      return by_chunk([&](int p, int c) { return load_row_masked(box_, box_.chunk(p, c)); });
    const Box memory = box_.permuted(pattern_.order);
    const std::vector<int> from = bits_from_permuted(box_.type(), pattern_.order);
    TileValue rows = by_chunk([&](int p, int c) { return load_row_masked(memory, memory.chunk(p, c)); });
    for (Chunks& part : rows) part = permute_bits(b_, part, from);
    return rows;
  }

  void store_masked(const TileValue& value) const {
    if (!neighbours_in_chunks())
      return for_chunks(
          [&](int p, int c) { scatter(box_.chunk(p, c), chunk_of(value, p, c), box_.mask(box_.chunk(p, c), lanes_)); });
    if (pattern_.kind == AccessPattern::Kind::rows)
      return for_chunks([&](int p, int c) { store_row_masked(box_, box_.chunk(p, c), chunk_of(value, p, c)); });
    const Box memory = box_.permuted(pattern_.order);
    TileValue rows = value;
    for (Chunks& part : rows) part = permute_bits(b_, part, inverse(bits_from_permuted(box_.type(), pattern_.order)));
    for_chunks([&](int p, int c) { store_row_masked(memory, memory.chunk(p, c), chunk_of(rows, p, c)); });
  }

  Builder& b_;
  KernelFrame& frame_;
  const Box& box_;
  bool masked_, streaming_;
  DType storage_;
  int lanes_;
  AccessPattern pattern_;
  llvm::Align alignment_;
};

}  // namespace

TileValue load_block(Builder& b, KernelFrame& frame, const tile_ir::Instruction& load, const Box& box, bool masked,
                     llvm::Value* fill) {
  BlockAccess access(b, frame, load, box, masked);
  if (access.goes_by_element(frame.has_gather(load.index))) return load_by_element(b, frame, box, fill);
  TileValue value = access.load();
  for (size_t p = 0; p < value.size(); ++p) {
    for (size_t c = 0; c < value[p].size(); ++c) {
      llvm::Value* chunk = decode(b, value[p][c], frame.storage(load.index));
      if (masked) {
        llvm::Value* inside = box.mask(box.chunk(static_cast<int>(p), static_cast<int>(c)), lanes_of(chunk));
        chunk = b.CreateSelect(inside, chunk, splat(b, fill, lanes_of(chunk)));
      }
      value[p][c] = chunk;
    }
  }
  return value;
}

void store_block(Builder& b, KernelFrame& frame, const tile_ir::Instruction& store, const Box& box, bool masked,
                 const TileValue& value) {
  BlockAccess access(b, frame, store, box, masked);
  if (access.goes_by_element(frame.has_scatter(store.index))) return store_by_element(b, frame, box, value);
  TileValue memory = value;
  for (Chunks& part : memory)
    for (llvm::Value*& chunk : part) chunk = encode(b, chunk, frame.storage(store.index));
  access.store(memory);
}

bool moves_by_chunk(const KernelFrame& frame, const tile_ir::Instruction& access, const tile_ir::Type& type,
                    bool masked) {
  const AccessPattern pattern = access_pattern(*access.access, type, frame.lanes());
  const int64_t lanes = std::min<int64_t>(type.part_elements(), frame.lanes());
  if (pattern.kind == AccessPattern::Kind::rows)
    return pattern.run >= lanes && (!masked || (pattern.step == 1 && lanes > 1));
  const bool loads = access.op == tile_ir::Op::block_load;
  return pattern.kind == AccessPattern::Kind::elements &&
         (!masked || (loads ? frame.has_gather(access.index) : frame.has_scatter(access.index)));
}

llvm::Value* load_chunk(Builder& b, KernelFrame& frame, const tile_ir::Instruction& load, const Box& box, bool masked,
                        llvm::Value* fill, const Position& at) {
  llvm::Value* memory = BlockAccess(b, frame, load, box, masked).load_at(at);
  llvm::Value* chunk = decode(b, memory, frame.storage(load.index));
  const int lanes = box.chunk_lanes();
  return masked ? b.CreateSelect(box.mask(at, lanes), chunk, splat(b, fill, lanes)) : chunk;
}

void store_chunks(Builder& b, KernelFrame& frame, const tile_ir::Instruction& store, const Box& box, bool masked,
                  const std::vector<Position>& at, const Chunks& value) {
  Chunks memory;
  for (llvm::Value* chunk : value) memory.push_back(encode(b, chunk, frame.storage(store.index)));
  BlockAccess(b, frame, store, box, masked).store_at(at, memory);
}

}  // namespace sinter::llvm_codegen
