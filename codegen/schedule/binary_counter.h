// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "codegen/tile/builder.h"
#include "src/graph/registry.h"

namespace sinter::schedule {

/// The binary tree over a run of values that come one by one: slot l holds the fold of 2^l of them, like the digits of
/// a binary counter. Where the number of values is n, bit l of n says whether slot l is full.
class BinaryCounter {
 public:
  BinaryCounter(tile_ir::KernelBuilder& b, graph::ReduceKind kind, DType type, int levels)
      : b_(b), kind_(kind), type_(type), levels_(levels) {}

  int levels() const { return levels_; }
  tile_ir::Value combine(tile_ir::Value earlier, tile_ir::Value later);
  /// Slots before the first value; their content is never folded in.
  std::vector<tile_ir::Value> empty(const tile_ir::Type& shape);
  /// The slots after value number `count` (i64 scalar, from 0).
  std::vector<tile_ir::Value> push(tile_ir::Value count, tile_ir::Value v, std::span<const tile_ir::Value> slots);
  /// The fold of all `count` values, at least one.
  tile_ir::Value drain(tile_ir::Value count, std::span<const tile_ir::Value> slots);
  tile_ir::Value drain(int64_t count, std::span<const tile_ir::Value> slots);

 private:
  tile_ir::Value bit(tile_ir::Value count, int level);

  tile_ir::KernelBuilder& b_;
  graph::ReduceKind kind_;
  DType type_;
  int levels_;
};

}  // namespace sinter::schedule
