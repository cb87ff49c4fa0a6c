// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/convert.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

#include "codegen/tile/layout/subspace.h"

namespace sinter::tile_ir {
namespace {

void check_pair(const LinearLayout& source, const LinearLayout& target, int element_bytes) {
  auto fail = [&](std::string_view why) {
    throw CompileError(
        fmt::format("internal: layout conversion: {}, from {} to {}", why, to_string(source), to_string(target)));
  };
  if (source.shape() != target.shape()) fail("different tiles");
  for (BitGroup group : {BitGroup::lane, BitGroup::warp, BitGroup::block}) {
    if (source.bits(group) != target.bits(group)) fail("different thread counts");
  }
  if (!std::ranges::equal(source.columns(BitGroup::block), target.columns(BitGroup::block)))
    fail("data moves between blocks");
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8) fail("odd element size");
  Subspace local;
  for (BitGroup group : {BitGroup::reg, BitGroup::lane, BitGroup::warp}) {
    for (uint32_t column : source.columns(group)) local.insert(column);
  }
  for (BitGroup group : {BitGroup::reg, BitGroup::lane, BitGroup::warp}) {
    for (uint32_t column : target.columns(group)) {
      if (!local.contains(column)) fail("the source does not hold every element");
    }
  }
}

// Costs in cycles of the unit that shuffles and shared memory have in common: it serves one 32-lane word a cycle.
constexpr double select_cost = 0.25;  // arithmetic runs on four schedulers beside it
constexpr double warp_sync_cost = 8;  // a round trip that little else covers
constexpr double block_sync_cost = 32;

double cost_of(const ShufflePlan& plan, const LinearLayout& source, const LinearLayout& target, int element_bytes) {
  int words = std::max(1, element_bytes / 4);
  double cost = plan.between_lanes ? static_cast<double>(plan.steps.size()) * words : 0;
  size_t swapped = plan.before.size() * static_cast<size_t>(source.registers()) +
                   plan.after.size() * static_cast<size_t>(target.registers());
  size_t packed = 0;
  for (const ShuffleStep& step : plan.steps) packed += step.sources.size() > 1 ? 2 * step.sources.size() : 0;
  return cost + select_cost * static_cast<double>(swapped * static_cast<size_t>(words) + packed);
}

double cost_of(const SharedPlan& plan, int element_bytes) {
  auto cycles = [&](int vector) { return std::max(1, vector * element_bytes / 4); };
  double sync = plan.scope == SyncScope::warp ? warp_sync_cost : block_sync_cost;
  double cost = 0;
  for (const SharedRound& round : plan.rounds) {
    cost += sync + static_cast<double>(round.stores.size()) * cycles(plan.store_vector) +
            static_cast<double>(round.loads.size()) * cycles(plan.load_vector);
  }
  return cost;
}

}  // namespace

uint32_t ThreadFunction::operator()(uint32_t lane_index, uint32_t warp_index) const {
  uint32_t value = 0;
  for (size_t i = 0; i < lane.size(); ++i) value ^= (lane_index >> i & 1) ? lane[i] : 0;
  for (size_t i = 0; i < warp.size(); ++i) value ^= (warp_index >> i & 1) ? warp[i] : 0;
  return value;
}

std::optional<std::vector<int>> plan_rename(const LinearLayout& source, const LinearLayout& target) {
  for (BitGroup group : {BitGroup::lane, BitGroup::warp, BitGroup::block}) {
    if (!std::ranges::equal(source.columns(group), target.columns(group))) return std::nullopt;
  }
  Subspace held;
  for (int bit = 0; bit < source.bits(BitGroup::reg); ++bit) {
    held.insert(source.columns(BitGroup::reg)[static_cast<size_t>(bit)], uint32_t{1} << bit);
  }
  std::vector<int> rename;
  for (int reg = 0; reg < target.registers(); ++reg) {
    auto [remainder, from] = held.solve(target.element(static_cast<uint32_t>(reg), 0));
    if (remainder != 0) return std::nullopt;
    rename.push_back(target.part_of(reg) * source.registers_per_part() + static_cast<int>(from));
  }
  return rename;
}

ConvertPlan plan_conversion(const LinearLayout& source, const LinearLayout& target, const ConvertOptions& options) {
  check_pair(source, target, options.element_bytes);
  ConvertPlan plan;
  if (source == target) return plan;
  if (std::optional<std::vector<int>> rename = plan_rename(source, target)) {
    plan.kind = ConvertKind::rename;
    plan.rename = std::move(*rename);
    return plan;
  }
  std::optional<ShufflePlan> shuffle = plan_shuffle(source, target, options.element_bytes);
  if (shuffle && !shuffle->between_lanes) {
    plan.kind = ConvertKind::shuffle;
    plan.shuffle = std::move(*shuffle);
    return plan;
  }
  std::optional<SharedPlan> shared = plan_shared(source, target, options);
  if (!shuffle && !shared) {
    throw CompileError(fmt::format("internal: layout conversion with {} bytes of shared memory, from {} to {}",
                                   options.shared_limit, to_string(source), to_string(target)));
  }
  const int bytes = options.element_bytes;
  if (!shared || (shuffle && cost_of(*shuffle, source, target, bytes) <= cost_of(*shared, bytes))) {
    plan.kind = ConvertKind::shuffle;
    plan.shuffle = std::move(*shuffle);
  } else {
    plan.kind = ConvertKind::shared;
    plan.shared = std::move(*shared);
  }
  return plan;
}

}  // namespace sinter::tile_ir
