// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>

#include "codegen/tile/layout/convert.h"
#include "codegen/tile/layout/redundant.h"
#include "codegen/tile/layout/subspace.h"

// A shuffle moves one register of every lane, so in one round all lanes must send a register that the sender knows and
// fill a register that the receiver knows. The conversion says: register r of lane l (warp w) wants register
// A r + B l + B' w of lane C r + D l + D' w. In the round of constant j let lane l fill register P l + j:
//
//   it reads lane     l' = Q l + C j + D' w    with Q = C P + D
//   and register      r' = R l + A j + B' w    with R = A P + B.
//
// The sender can compute r' from its own l' when R = S Q for some S: r' = S l' + (A + S C) j + (B' + S D') w. Then
// registers are first permuted in each thread by XOR with S l' + S' w, shuffles use constant registers, and a last XOR
// with P l puts them into place. An XOR of register numbers by a function of rank k is k conditional swaps. Mostly S
// and P are zero.

namespace sinter::tile_ir {
namespace {

/// The register and the lane that a target input bit wants, relative to its own warp.
struct Wanted {
  uint32_t reg = 0;
  uint32_t lane = 0;
};

/// The map (A B B'; C D D') above, by columns.
struct WarpConversion {
  std::vector<Wanted> reg, lane, warp;
};

std::optional<WarpConversion> conversion_inside_warp(const LinearLayout& source, const LinearLayout& target) {
  const int reg_bits = source.bits(BitGroup::reg);
  Subspace held;
  for (int i = 0; i < reg_bits + source.bits(BitGroup::lane); ++i)
    held.insert(source.map().column(i), uint32_t{1} << i);
  const uint32_t copy_lanes = redundant_bits(source, BitGroup::lane);

  WarpConversion conversion;
  for (BitGroup group : {BitGroup::reg, BitGroup::lane, BitGroup::warp}) {
    auto& columns = group == BitGroup::reg    ? conversion.reg
                    : group == BitGroup::lane ? conversion.lane
                                              : conversion.warp;
    for (int bit = 0; bit < target.bits(group); ++bit) {
      uint32_t element = target.columns(group)[static_cast<size_t>(bit)];
      // Of several lanes with copies, read the one that agrees with the reader in the bits that tell them apart.
      uint32_t own_lane = group == BitGroup::lane ? copy_lanes & uint32_t{1} << bit : 0;
      if (own_lane != 0 || group == BitGroup::warp) element ^= source.columns(group)[static_cast<size_t>(bit)];
      auto [remainder, from] = held.solve(element);
      if (remainder != 0) return std::nullopt;
      columns.push_back({from & ((uint32_t{1} << reg_bits) - 1), from >> reg_bits ^ own_lane});
    }
  }
  return conversion;
}

/// Register numbers XORed with a function of the thread, as swaps: one per dimension of its values.
std::vector<ConditionalSwap> swaps_for(const ThreadFunction& function) {
  Subspace values(function.lane);
  for (uint32_t value : function.warp) values.insert(value);
  std::vector<ConditionalSwap> swaps;
  for (uint32_t row : values.basis()) {
    ConditionalSwap swap{row, 0, 0};
    uint32_t lead = std::bit_floor(row);
    for (size_t i = 0; i < function.lane.size(); ++i) swap.lane_mask |= (function.lane[i] & lead) ? 1u << i : 0;
    for (size_t i = 0; i < function.warp.size(); ++i) swap.warp_mask |= (function.warp[i] & lead) ? 1u << i : 0;
    swaps.push_back(swap);
  }
  return swaps;
}

/// P, as the target register bit that lane bit i flips, and S with its domain.
struct LanePermutation {
  std::vector<uint32_t> fill;         // P, by lane bit
  std::vector<uint32_t> source_lane;  // Q, by lane bit
  Subspace send;                      // solve(l').preimage = S l'
};

std::optional<LanePermutation> permute_lanes(const WarpConversion& conversion, uint32_t usable_registers) {
  Subspace reached;  // the images of D, and of C for the register bits that P uses
  for (const Wanted& wanted : conversion.lane) reached.insert(wanted.lane);
  LanePermutation result;
  for (const Wanted& wanted : conversion.lane) {
    uint32_t fill = 0, from_lane = wanted.lane, from_register = wanted.reg;
    auto [remainder, sent] = result.send.solve(from_lane);
    if (remainder == 0 && sent != from_register) {
      // This lane wants from a lane that others read too, but another register: let it fill another one in this round.
      for (uint32_t bits = usable_registers; bits != 0 && fill == 0; bits &= bits - 1) {
        const Wanted& other = conversion.reg[static_cast<size_t>(std::countr_zero(bits))];
        if (!reached.insert(other.lane)) continue;
        fill = bits & -bits;
        from_lane ^= other.lane;
        from_register ^= other.reg;
      }
      if (fill == 0) return std::nullopt;
    }
    result.send.insert(from_lane, from_register);
    result.fill.push_back(fill);
    result.source_lane.push_back(from_lane);
  }
  return result;
}

bool reads_itself(const ShufflePlan& plan) {
  for (size_t i = 0; i < plan.source_lane.lane.size(); ++i) {
    if (plan.source_lane.lane[i] != uint32_t{1} << i) return false;
  }
  return std::ranges::all_of(plan.source_lane.warp, [](uint32_t column) { return column == 0; }) &&
         std::ranges::all_of(plan.steps, [](const ShuffleStep& step) { return step.lane_xor == 0; });
}

}  // namespace

std::optional<ShufflePlan> plan_shuffle(const LinearLayout& source, const LinearLayout& target, int element_bytes) {
  std::optional<WarpConversion> conversion = conversion_inside_warp(source, target);
  if (!conversion) return std::nullopt;
  const uint32_t copies = redundant_bits(target, BitGroup::reg);
  const uint32_t kept = static_cast<uint32_t>(target.registers_per_part() - 1) & ~copies;
  std::optional<LanePermutation> lanes = permute_lanes(*conversion, kept);
  if (!lanes) return std::nullopt;
  auto send = [&](uint32_t lane) { return lanes->send.solve(lane).preimage; };

  ShufflePlan plan;
  plan.source_lane.lane = lanes->source_lane;
  ThreadFunction before;
  for (int i = 0; i < source.bits(BitGroup::lane); ++i) before.lane.push_back(send(uint32_t{1} << i));
  for (const Wanted& wanted : conversion->warp) {
    plan.source_lane.warp.push_back(wanted.lane);
    before.warp.push_back(wanted.reg ^ send(wanted.lane));
  }
  plan.before = swaps_for(before);
  plan.after = swaps_for({lanes->fill, {}});

  // Registers that come from the same lane share words.
  const size_t per_word = static_cast<size_t>(std::max(1, 4 / element_bytes));
  std::map<uint32_t, ShuffleStep> open;
  for (int reg = 0; reg < target.registers(); ++reg) {
    uint32_t r = static_cast<uint32_t>(reg % target.registers_per_part());
    if ((r & copies) != 0) continue;
    uint32_t from_register = 0, from_lane = 0;
    for (uint32_t bits = r; bits != 0; bits &= bits - 1) {
      const Wanted& wanted = conversion->reg[static_cast<size_t>(std::countr_zero(bits))];
      from_register ^= wanted.reg;
      from_lane ^= wanted.lane;
    }
    from_register ^= send(from_lane);
    ShuffleStep& step = open[from_lane];
    step.lane_xor = from_lane;
    step.sources.push_back(target.part_of(reg) * source.registers_per_part() + static_cast<int>(from_register));
    step.targets.push_back(reg);
    if (step.sources.size() == per_word) {
      plan.steps.push_back(std::move(step));
      open.erase(from_lane);
    }
  }
  for (auto& [lane, step] : open) plan.steps.push_back(std::move(step));
  plan.copies = copies_of_registers(target);
  plan.between_lanes = !reads_itself(plan);
  return plan;
}

}  // namespace sinter::tile_ir
