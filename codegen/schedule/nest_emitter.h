// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/schedule/scheduled.h"
#include "codegen/schedule/target.h"
#include "codegen/schedule/tiling.h"
#include "codegen/tile/builder.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// Writes the body of one nest as a tile program under a tiling. A value has the smallest shape it needs: dims it does
/// not depend on have extent 1, so what is the same for a row or a channel is computed once and spread late.
class NestEmitter {
 public:
  NestEmitter(const loop::Program& program, const loop::Nest& nest, const Tiling& tiling, const Target& target,
              const std::string& name);

  /// Splits the program id into the axes' tiles; returns the number of programs. Reduction axes are left alone.
  graph::Expr decode_program_id();
  /// Gives an axis its first coordinate in this program (a multiple of `divisor`).
  void set_origin(size_t axis, tile::Value origin);
  /// Forgets values, after origins changed; what does not depend on the axis is kept.
  void forget_axis(size_t axis);

  tile::Value value(loop::ValueId id);
  void store(const loop::Store& store);
  /// Where the axis lies inside its extent, as a boolean of the axis's own shape; nothing if it always does.
  std::optional<tile::Value> inside(size_t axis);

  tile::Value scalar_of(graph::Expr e);  ///< i64 scalar of an expression over symbols and scalar axes
  tile::KernelBuilder& builder() { return b_; }
  void set_value(loop::ValueId id, tile::Value v) { values_[id] = v; }
  /// What is known before a loop; values made inside the loop are not visible after it.
  struct Memo {
    std::map<loop::ValueId, tile::Value> values;
    std::unordered_map<graph::Expr, tile::Value> scalars;
  };
  Memo memo() const { return {values_, scalars_}; }
  void restore(Memo m) {
    values_ = std::move(m.values);
    scalars_ = std::move(m.scalars);
  }
  ScheduledKernel finish(graph::Expr grid, const std::vector<std::string>& comments, int num_warps);

 private:
  tile::Index index_of(graph::Expr e);
  tile::Value tile_index(graph::Expr e, DType t);  ///< an index expression as a tile
  tile::Value axis_value(size_t axis, DType t);
  tile::Value divide(graph::Expr e, DType t);
  tile::Value load(const loop::Instruction& in);
  tile::Value gather(const loop::Instruction& in, int pointer);
  tile::Value checked_index(const loop::Instruction& in);
  tile::Value scalar_op(const loop::Instruction& in);
  tile::Value divide_by_invariant(tile::Value x, tile::Value d, bool x_is_safe, bool d_is_safe);
  tile::Access access(graph::Expr base, const AxisStrides& strides, std::vector<int32_t>& dims, int32_t& parts);
  DType offset_type(graph::Expr address) const;
  int pointer(int buffer, bool written);
  int status_pointer();
  std::optional<tile::Value> conjunction(std::optional<tile::Value> a, tile::Value b);
  tile::Type shape_of_axis(size_t axis) const;
  bool needs_mask(size_t axis) const;
  bool nonnegative_small(loop::ValueId id) const;
  bool moderate_literal(loop::ValueId id) const;

  const loop::Program& program_;
  const loop::Nest& nest_;
  const Tiling& tiling_;
  const Target& target_;
  graph::Ranges ranges_;
  tile::KernelBuilder b_;
  std::vector<std::optional<tile::Value>> origins_;
  std::map<loop::ValueId, tile::Value> values_;
  std::unordered_map<graph::Expr, tile::Value> scalars_;
  std::map<int, int> pointers_;                 ///< buffer -> parameter
  std::map<int, int> extents_;                  ///< symbol -> parameter
  std::map<std::pair<int, int>, int> numbers_;  ///< (symbol, compute type) -> parameter
  int status_ = -1;
  std::vector<ParameterSource> sources_;
};

}  // namespace sinter::schedule
