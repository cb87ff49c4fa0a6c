// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/schedule/kernel_writer.h"
#include "codegen/schedule/mask_box.h"
#include "codegen/schedule/tiling.h"
#include "codegen/schedule/value_range.h"
#include "src/loop/dependence.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// Writes the body of one nest as a tile program under a tiling. A value has the smallest shape it needs: dims it does
/// not depend on have extent 1, so what is the same for a row or a channel is computed once and spread late.
class NestEmitter {
 public:
  NestEmitter(KernelWriter& kernel, const loop::Nest& nest, const Tiling& tiling);

  /// How many programs the nest takes.
  graph::Expr programs() const;
  int64_t elements_per_program() const;
  /// Splits the number of one of them (i64) into the axes' tiles. Reduction axes are left alone.
  void decode_program_id(tile_ir::Value pid);
  /// Whether the program has an element at all; nothing if every program does.
  std::optional<tile_ir::Value> has_elements();
  /// Gives an axis its first coordinate in this program.
  void set_origin(size_t axis, tile_ir::Value origin);
  /// Says whether from here on the axis's tiles lie inside its extent. Unless told, those of axes whose extent is a
  /// multiple of the tile do.
  void set_whole(size_t axis, bool whole) { whole_[axis] = whole; }
  /// Forgets values that depend on the axis, after its origin changed.
  void forget_axis(size_t axis);

  tile_ir::Value value(loop::ValueId id);
  void set_value(loop::ValueId id, tile_ir::Value v) { known_.values[id] = v; }
  const std::map<loop::ValueId, tile_ir::Value>& known() const { return known_.values; }
  void store(const loop::Store& store);
  /// From here on sums of stores with a fold meet in a table of the program (tile IR: scatter).
  void sum_in_table(int32_t elements) { table_ = elements; }
  /// Sends for the first `count` elements of a load along the only axis with a tile, ahead of the loads of its tiles.
  void stage(loop::ValueId load, const tile_ir::Run& run, tile_ir::Value count);
  /// Where the axis lies inside its extent, as a boolean of the axis's own shape; nothing if it always does.
  std::optional<tile_ir::Value> inside(size_t axis);
  /// i64 scalar of an expression over symbols and axes without a tile; what symbols alone decide is a parameter.
  tile_ir::Value scalar_of(graph::Expr e);

  /// What has been computed. Values made inside a loop are not visible after it: take the memo before, restore it
  /// after.
  struct Memo {
    std::map<loop::ValueId, tile_ir::Value> values;
    std::unordered_map<graph::Expr, tile_ir::Value> scalars;  ///< of symbols
    std::unordered_map<graph::Expr, tile_ir::Value> narrow,
        wide;  ///< index tiles in i32 and i64, at the current origins
  };
  const Memo& memo() const { return known_; }
  void restore(Memo m) { known_ = std::move(m); }

  tile_ir::KernelBuilder& builder() { return b_; }
  const graph::Ranges& ranges() const { return ranges_; }

 private:
  // nest_emitter.cpp
  std::vector<std::pair<size_t, graph::Expr>> tile_counts() const;  ///< of the axes that are tiled, in order
  tile_ir::Value scalar_op(const loop::Instruction& in);
  tile_ir::Value shared_division(const loop::Instruction& in, tile_ir::Value x, tile_ir::Value d);
  int64_t elements_of(loop::ValueId id) const;
  bool has_tile(size_t axis) const;
  bool needs_mask(size_t axis) const;
  bool is_phased(size_t axis) const;
  tile_ir::Type shape_of_axis(size_t axis) const;
  std::optional<tile_ir::Value> conjunction(std::optional<tile_ir::Value> a, tile_ir::Value b);

  // nest_index.cpp
  tile_ir::Index index_of(graph::Expr e);
  tile_ir::Value scalar_sum(graph::Expr e);
  tile_ir::Value scalar_product(graph::Expr e);
  bool is_uniform(graph::Expr e) const;
  tile_ir::Value axis_value(size_t axis, DType t);
  tile_ir::Value tile_index(graph::Expr e, DType t);  ///< an index expression as a tile (or scalar) of i32 or i64
  tile_ir::Value compute_tile_index(graph::Expr e, DType t);
  tile_ir::Value tile_sum(graph::Expr e, DType t);
  tile_ir::Value tile_division(graph::Expr e, DType t);
  tile_ir::Value checked_index(const loop::Instruction& in);
  DType offset_type(graph::Expr address) const;

  // nest_memory.cpp
  struct Box {
    tile_ir::Access access;
    std::vector<int32_t> dims;
    int32_t parts = 1;
  };
  Box box(graph::Expr address, const AxisStrides& strides, const std::vector<AxisBounds>& bounds);
  int32_t promised_alignment(graph::Expr address, const AxisStrides& strides) const;
  tile_ir::AccessDim along(size_t axis, graph::Expr stride, const AxisBounds& bounds, graph::Expr& base);
  tile_ir::Value load(loop::ValueId id);
  tile_ir::Value block_load(loop::ValueId id, const AxisStrides& strides, const std::vector<AxisBounds>& bounds);
  tile_ir::Value gather(const loop::Instruction& in);
  void accumulate(const loop::Store& s);
  tile_ir::CachePolicy store_policy(const loop::Buffer& buffer) const;

  KernelWriter& kernel_;
  const loop::Nest& nest_;
  const Tiling& tiling_;
  const Target& target_;
  graph::Ranges ranges_;
  tile_ir::KernelBuilder& b_;
  ValueRanges value_ranges_;
  std::vector<std::optional<tile_ir::Value>> origins_;
  std::vector<std::optional<bool>> whole_;
  std::vector<loop::AxisSet> dependence_;
  std::map<loop::ValueId, int32_t> runs_;  ///< of loads that were staged
  Memo known_;
  int32_t table_ = 0;
};

}  // namespace sinter::schedule
