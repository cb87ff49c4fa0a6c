// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/llvm/box.h"
#include "codegen/llvm/kernel_frame.h"
#include "codegen/llvm/region_facts.h"
#include "codegen/llvm/tile_buffer.h"

namespace sinter::llvm_codegen {

using tile_ir::Instruction;
using tile_ir::Region;
using tile_ir::ValueId;

/// Emits one kernel: a loop over the programs around its body.
///
/// Tiles live in registers (see Chunks) up to large_elements; larger ones live in buffers on the stack. What works
/// element by element on large tiles runs in loops over *windows* of a few chunks (emit_windows.cpp), so that code and
/// compile time do not grow with the tile; the other operations load the whole tile.
class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const tile_ir::Kernel& kernel, int vector_bits);
  void run();

 private:
  /// The instructions of one loop over windows.
  using Group = std::vector<const Instruction*>;

  // Regions (emit_regions.cpp). A region gives what it yields; large tiles by their buffers' addresses.
  using Done = std::unordered_set<const Instruction*>;
  std::vector<TileValue> region(const Region& r);
  Done hoist_scalars(const Region& r);
  void forget(const Instruction& i);
  bool bounds_known(const Instruction& i) const;
  std::vector<TileValue> two_versions(const Region& r, const Done& done,
                                      const std::vector<const Instruction*>& versioned, llvm::Value* whole);
  std::vector<TileValue> straight(const Region& r, const Done& done);
  std::vector<TileValue> merge(const std::vector<TileValue>& x, llvm::BasicBlock* from_x,
                               const std::vector<TileValue>& y, llvm::BasicBlock* from_y);
  void emit_or_defer(const Instruction& i, const RareParts& rare, const Done& done);
  void emit_rare(const Instruction& i, const RareParts& rare, const Done& done);

  // Control (emit_control.cpp)
  void loop(const Instruction& i);
  std::vector<TileValue> carry(const Instruction& i, llvm::BasicBlock* before, std::vector<llvm::PHINode*>& phis);
  void carry_on(const Instruction& i, const std::vector<TileValue>& carried, const std::vector<TileValue>& next,
                const std::vector<llvm::PHINode*>& phis);
  void branch(const Instruction& i);
  void status_check(const Instruction& i);
  llvm::Value* arrive(const Instruction& i);
  llvm::Value* any_lane(const TileValue& condition);
  llvm::MDNode* unlikely() const;

  // Instructions (emit_instructions.cpp)
  void instruction(const Instruction& i);
  TileValue value_of(const Instruction& i);
  void scan(const Instruction& i);
  llvm::Value* ticket(const Instruction& i);
  void grid_scan(const Instruction& i);
  llvm::Value* constant(const Instruction& i) const;
  TileValue iota(const Instruction& i);
  TileValue broadcast(const Instruction& i);
  TileValue trans(const Instruction& i);
  TileValue scalar_op(const Instruction& i);
  TileValue load(const Instruction& i);
  void store(const Instruction& i);
  TileValue gather(const Instruction& i);
  void scatter(const Instruction& i);
  void keep(const Instruction& i);
  TileValue recall(const Instruction& i);
  llvm::Value* slot_begin(const Instruction& i, const tile_ir::Type& tile);
  Box box(const Instruction& i);
  bool is_masked(const Instruction& i) const { return i.access->is_masked() && !inside_.count(&i); }
  llvm::Value* element_addresses(const Instruction& i, llvm::Value* offsets);

  // Large tiles (emit_windows.cpp, emit_large_folds.cpp)
  static constexpr int64_t large_elements = 256;
  static bool is_large(const tile_ir::Type& t) { return t.elements() > large_elements; }
  bool in_window(const tile_ir::Type& t) const { return window_ && is_large(t); }
  const tile_ir::Type& shape_of(const Instruction& i) const;
  bool works_by_window(const Instruction& i) const;
  bool broadcasts_by_window(const Instruction& i) const;
  Group window_group(const Region& r, size_t& at, const RareParts& rare, const Done& done) const;
  void emit_windows(const Region& r, const Group& group, const RareParts& rare, const Done& done);
  void spill_sources(const Group& group);
  int64_t row_to_fetch(const Group& group) const;
  void fetch_ahead(const Box& from, const Position& at);
  TileValue window_of(ValueId v);
  TileValue broadcast_window(const Instruction& i);
  TileValue load_window(const Instruction& i);
  void store_window(const Instruction& i);
  bool reduces_in_blocks(const Instruction& i) const;
  void reduce_in_blocks(const Instruction& i);
  /// Neighbouring elements of a large tile.
  struct Block {
    TileBuffer source;
    llvm::Value* first;
    int64_t length;
    DType type;
  };
  llvm::Value* load_of(const Block& block, int64_t at) const;
  llvm::Value* fold_block(const Block& block, tile_ir::ReduceKind kind);
  llvm::Value* fold_with_care(const Block& block, tile_ir::ReduceKind kind);
  llvm::Value* extreme_of_block(const Block& block, tile_ir::ReduceKind kind);
  bool reduces_across(const Instruction& i) const;
  static int64_t elements_behind(const tile_ir::Type& t, int dim);
  void reduce_across(const Instruction& i);

  // Values
  const tile_ir::Type& type_of(ValueId v) const { return types_[static_cast<size_t>(v)]; }
  /// A large tile: the address of its buffer.
  const TileValue& stored(ValueId v) const { return values_[static_cast<size_t>(v)]; }
  void define_stored(ValueId v, TileValue value) { values_[static_cast<size_t>(v)] = std::move(value); }
  TileBuffer buffer_of(ValueId v) { return {b_, stored(v)[0][0], type_of(v).dtype}; }
  /// The chunks: all of them, or those of the window.
  TileValue use(ValueId v);
  llvm::Value* scalar_use(ValueId v) const { return stored(v)[0][0]; }
  void define(ValueId v, TileValue value);

  int chunk_lanes(const tile_ir::Type& t) const;
  /// Calls f(part, chunk) for all chunks of a tile of this shape, or for those of the window (part 0).
  template <class F>
  TileValue by_chunk(const tile_ir::Type& t, F f) const {
    const bool windowed = in_window(t);
    const int parts = windowed ? 1 : t.parts;
    const int chunks = windowed ? window_->chunks : static_cast<int>(t.part_elements()) / chunk_lanes(t);
    TileValue r(static_cast<size_t>(parts));
    for (int p = 0; p < parts; ++p)
      for (int c = 0; c < chunks; ++c)
        r[static_cast<size_t>(p)].push_back(f(static_cast<size_t>(p), static_cast<size_t>(c)));
    return r;
  }
  /// Where a chunk of by_chunk() starts.
  Position position(const tile_ir::Type& t, size_t part, size_t chunk) const;

  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, frame_.function());
  }

  /// The chunks that a loop over a large tile works on now.
  struct Window {
    llvm::Value *number, *part, *lane;  ///< of the first element
    int chunks;
    int64_t ahead = 0;  ///< elements behind a load that are wanted in cache soon
    std::unordered_map<ValueId, TileValue> values = {};
  };

  llvm::Module& module_;
  mutable Builder b_;
  KernelFrame frame_;
  std::vector<TileValue> values_;
  std::vector<tile_ir::Type> types_;
  llvm::Value* program_ = nullptr;
  std::unordered_set<const Instruction*> inside_, outside_;  ///< accesses known to lie inside; known to be masked here
  Window* window_ = nullptr;
  std::unordered_map<int32_t, TileBuffer> stores_;     ///< what the program keeps
  std::unordered_map<ValueId, llvm::Value*> spilled_;  ///< small tiles in memory for the window loop
};

}  // namespace sinter::llvm_codegen
