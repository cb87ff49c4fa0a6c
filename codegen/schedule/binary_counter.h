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
  BinaryCounter(tile::KernelBuilder& b, graph::ReduceKind kind, DType type, int levels)
      : b_(b), kind_(kind), type_(type), levels_(levels) {}

  int levels() const { return levels_; }
  tile::Value combine(tile::Value earlier, tile::Value later);
  /// Slots before the first value; their content is never folded in.
  std::vector<tile::Value> empty(const tile::Type& shape);
  /// The slots after value number `count` (i64 scalar, from 0).
  std::vector<tile::Value> push(tile::Value count, tile::Value v, std::span<const tile::Value> slots);
  /// The fold of all `count` values, at least one.
  tile::Value drain(tile::Value count, std::span<const tile::Value> slots);
  tile::Value drain(int64_t count, std::span<const tile::Value> slots);

 private:
  tile::Value bit(tile::Value count, int level);

  tile::KernelBuilder& b_;
  graph::ReduceKind kind_;
  DType type_;
  int levels_;
};

}  // namespace sinter::schedule
