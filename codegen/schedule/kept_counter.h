// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "codegen/tile/builder.h"
#include "src/graph/registry.h"

namespace sinter::schedule {

/// A binary counter (binary_counter.h) whose slots lie in memory of the program. A value goes up through as many slots
/// as a loop counts: code does not grow with the number of levels, and a slot may be a tile larger than registers hold.
/// For the CPU, where such memory is the stack.
class KeptCounter {
 public:
  /// `store` is the number of a store of `levels` tiles of this type.
  KeptCounter(tile_ir::KernelBuilder& b, graph::ReduceKind kind, const tile_ir::Type& tile, int levels, int32_t store)
      : b_(b), kind_(kind), tile_(tile), store_{store, tile.dtype, levels} {}

  /// What a counter without values drains to.
  void clear();
  /// Adds value number `count` (i64 scalar, from 0).
  void push(tile_ir::Value count, tile_ir::Value v);
  /// The fold of all `count` values. The counter is spent.
  tile_ir::Value drain(tile_ir::Value count);

 private:
  tile_ir::Value lowest_one(tile_ir::Value n);
  void add(tile_ir::Value earlier, tile_ir::Value slot);

  tile_ir::KernelBuilder& b_;
  graph::ReduceKind kind_;
  tile_ir::Type tile_;
  tile_ir::KernelBuilder::Store store_;
};

}  // namespace sinter::schedule
