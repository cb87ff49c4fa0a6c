// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "codegen/tile/layout/convert.h"
#include "codegen/tile/layout/redundant.h"
#include "codegen/tile/layout/subspace.h"
#include "codegen/tile/layout/swizzle.h"

namespace sinter::tile_ir {
namespace {

/// Byte offset of a thread; the copy bits count as zero.
ThreadFunction byte_offset(const LinearLayout& layout, const Swizzle& swizzle, int element_bytes, uint32_t copy_lanes,
                           uint32_t copy_warps) {
  auto columns = [&](BitGroup group, uint32_t copies) {
    std::vector<uint32_t> result;
    for (uint32_t column : layout.columns(group)) {
      bool zero = copies >> result.size() & 1;
      result.push_back(zero ? 0 : swizzle.offset.apply(column) * static_cast<uint32_t>(element_bytes));
    }
    return result;
  };
  return {columns(BitGroup::lane, copy_lanes), columns(BitGroup::warp, copy_warps)};
}

/// A register and its place, in elements.
struct Placed {
  int part;
  uint32_t round;
  uint32_t offset;
  int reg;
};

/// Registers of a thread that hold no copies, by part, round and offset.
std::vector<Placed> placed_registers(const LinearLayout& layout, const Swizzle& swizzle) {
  const uint32_t redundant = redundant_bits(layout, BitGroup::reg);
  std::vector<Placed> placed;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    if ((static_cast<uint32_t>(reg % layout.registers_per_part()) & redundant) != 0) continue;
    uint32_t at = swizzle.offset.apply(layout.element(static_cast<uint32_t>(reg), 0));
    uint32_t below = (uint32_t{1} << swizzle.offset_bits) - 1;
    placed.push_back({layout.part_of(reg), at >> swizzle.offset_bits, at & below, reg});
  }
  std::ranges::sort(placed, {}, [](const Placed& p) { return std::tuple(p.part, p.round, p.offset); });
  return placed;
}

/// Cuts the sorted registers into vectors. They are the span of a vector's registers plus constants, so every vector is
/// complete and starts at a multiple of its size.
template <typename Member>
void add_accesses(SharedPlan& plan, Member member, const LinearLayout& layout, const Swizzle& swizzle, int vector,
                  int parts_per_round, int element_bytes) {
  std::vector<Placed> placed = placed_registers(layout, swizzle);
  for (size_t i = 0; i < placed.size(); i += static_cast<size_t>(vector)) {
    const Placed& first = placed[i];
    uint32_t slot = static_cast<uint32_t>(first.part % parts_per_round) << swizzle.offset_bits;
    SharedAccess access{(slot | first.offset) * static_cast<uint32_t>(element_bytes), {}};
    for (int k = 0; k < vector; ++k) access.registers.push_back(placed[i + static_cast<size_t>(k)].reg);
    size_t round = static_cast<size_t>(first.part / parts_per_round * swizzle.rounds()) + first.round;
    (plan.rounds[round].*member).push_back(std::move(access));
  }
}

/// Whether every warp reads only what it stored itself.
SyncScope scope_of(const LinearLayout& source, const LinearLayout& target) {
  if (redundant_bits(source, BitGroup::warp) != 0) return SyncScope::block;
  Subspace held;
  for (uint32_t column : source.columns(BitGroup::reg)) held.insert(column);
  for (uint32_t column : source.columns(BitGroup::lane)) held.insert(column);
  auto inside = [&](uint32_t column) { return held.contains(column); };
  bool local = std::ranges::all_of(target.columns(BitGroup::reg), inside) &&
               std::ranges::all_of(target.columns(BitGroup::lane), inside);
  for (size_t i = 0; i < target.columns(BitGroup::warp).size(); ++i) {
    local = local && inside(source.columns(BitGroup::warp)[i] ^ target.columns(BitGroup::warp)[i]);
  }
  return local ? SyncScope::warp : SyncScope::block;
}

}  // namespace

std::optional<SharedPlan> plan_shared(const LinearLayout& source, const LinearLayout& target,
                                      const ConvertOptions& options) {
  const int element_bytes = options.element_bytes;
  const uint32_t max_elements = options.shared_limit / static_cast<uint32_t>(element_bytes);
  std::optional<Swizzle> found = choose_swizzle(source, target, element_bytes, max_elements);
  if (max_elements == 0 || !found) return std::nullopt;
  const Swizzle& swizzle = *found;
  const uint32_t part_elements = uint32_t{1} << swizzle.offset_bits;
  const int parts = source.parts();
  const int parts_per_round = std::clamp(static_cast<int>(max_elements / part_elements), 1, parts);

  SharedPlan plan;
  plan.bytes = static_cast<uint32_t>(parts_per_round) * part_elements * static_cast<uint32_t>(element_bytes);
  plan.scope = scope_of(source, target);
  plan.copy_lanes = redundant_bits(source, BitGroup::lane);
  plan.copy_warps = redundant_bits(source, BitGroup::warp);
  plan.store_offset = byte_offset(source, swizzle, element_bytes, plan.copy_lanes, plan.copy_warps);
  plan.load_offset = byte_offset(target, swizzle, element_bytes, 0, 0);
  plan.store_vector = 1 << swizzle.store_vector_bits;
  plan.load_vector = 1 << swizzle.load_vector_bits;
  plan.rounds.resize(static_cast<size_t>((parts + parts_per_round - 1) / parts_per_round * swizzle.rounds()));
  add_accesses(plan, &SharedRound::stores, source, swizzle, plan.store_vector, parts_per_round, element_bytes);
  add_accesses(plan, &SharedRound::loads, target, swizzle, plan.load_vector, parts_per_round, element_bytes);
  plan.copies = copies_of_registers(target);
  return plan;
}

}  // namespace sinter::tile_ir
