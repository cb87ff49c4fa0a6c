// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// A number that is linear over GF(2) in a thread's index: the XOR of lane[i] over the set bits i of the lane and of
/// warp[i] over those of the warp.
struct ThreadFunction {
  std::vector<uint32_t> lane;
  std::vector<uint32_t> warp;
  uint32_t operator()(uint32_t lane_index, uint32_t warp_index) const;
  friend bool operator==(const ThreadFunction&, const ThreadFunction&) = default;
};

struct RegisterMove {
  int target = 0;
  int source = 0;
  friend bool operator==(const RegisterMove&, const RegisterMove&) = default;
};

/// Threads in which the bits lane & lane_mask and warp & warp_mask have odd parity together exchange their registers r
/// and r ^ xor_mask, for all r of every part.
struct ConditionalSwap {
  uint32_t xor_mask = 0;
  uint32_t lane_mask = 0;
  uint32_t warp_mask = 0;
};

/// One exchange between lanes: lane l receives from lane source_lane(l, warp) ^ lane_xor the registers `sources`, and
/// keeps them as `targets`. All of them fit into one 32-bit word together, or one is a 64-bit element (two words).
struct ShuffleStep {
  uint32_t lane_xor = 0;
  std::vector<int> sources;
  std::vector<int> targets;
};

/// Conversion inside of a warp, part by part: swaps on the source registers, shuffles (every lane takes part in each),
/// swaps on the target registers, copies between target registers.
struct ShufflePlan {
  std::vector<ConditionalSwap> before;
  ThreadFunction source_lane;
  bool between_lanes = true;  ///< false: every lane reads from itself, so that the steps are moves
  std::vector<ShuffleStep> steps;
  std::vector<ConditionalSwap> after;
  std::vector<RegisterMove> copies;
};

enum class SyncScope : uint8_t { warp, block };

/// One vector access to shared memory: the registers, in order, at byte address thread offset ^ offset.
struct SharedAccess {
  uint32_t offset = 0;
  std::vector<int> registers;
};

struct SharedRound {
  std::vector<SharedAccess> stores;
  std::vector<SharedAccess> loads;
};

/// Conversion through shared memory. Each round: stores, barrier, loads; and a barrier between two rounds. Whoever uses
/// the memory next puts a barrier before its own stores.
struct SharedPlan {
  uint32_t bytes = 0;  ///< size; needs an alignment of 16 bytes
  SyncScope scope = SyncScope::block;
  ThreadFunction store_offset;  ///< in bytes
  ThreadFunction load_offset;
  /// Threads that hold copies do not store: only those whose lane and warp have no bit of these masks.
  uint32_t copy_lanes = 0;
  uint32_t copy_warps = 0;
  int store_vector = 1;  ///< elements per access
  int load_vector = 1;
  std::vector<SharedRound> rounds;
  std::vector<RegisterMove> copies;  ///< between target registers, last
};

enum class ConvertKind : uint8_t { identity, rename, shuffle, shared };

/// How a tile gets from one layout into another. Plain data; only the member that `kind` names is filled.
struct ConvertPlan {
  ConvertKind kind = ConvertKind::identity;
  std::vector<int> rename;  ///< target register -> source register
  ShufflePlan shuffle;
  SharedPlan shared;
};

struct ConvertOptions {
  int element_bytes = 4;             ///< 1, 2, 4 or 8
  uint32_t shared_limit = 48 << 10;  ///< bytes of shared memory a conversion may take
};

/// The cheapest plan that moves every element of a tile from layout `source` to layout `target`.
///
/// The conversion is one linear map: target input bits x need the element target(x), which the source layout holds at
/// holder(target(x)). Where the lane, warp and block bits of that map are those of x, registers are renamed; where its
/// warp and block bits are, lanes exchange; else the tile goes through shared memory. Layouts must have equal shapes
/// and lane and warp counts, and agree in their block bits; otherwise, or if the shared memory limit is too small,
/// CompileError.
ConvertPlan plan_conversion(const LinearLayout& source, const LinearLayout& target, const ConvertOptions& options);

/// The plans by kind, where they exist. Through shared memory there is always one if a part fits into it.
std::optional<std::vector<int>> plan_rename(const LinearLayout& source, const LinearLayout& target);
std::optional<ShufflePlan> plan_shuffle(const LinearLayout& source, const LinearLayout& target, int element_bytes);
std::optional<SharedPlan> plan_shared(const LinearLayout& source, const LinearLayout& target,
                                      const ConvertOptions& options);

}  // namespace sinter::tile_ir
