// SPDX-License-Identifier: Apache-2.0
#include "tests/layout/plan_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace sinter::tile_ir::testing {
namespace {

constexpr int64_t nothing = -1;

/// Registers of all threads; a value is part * 2^32 + element.
using Registers = std::vector<std::vector<int64_t>>;

class Simulator {
 public:
  Simulator(const ConvertPlan& plan, const LinearLayout& source, const LinearLayout& target, int element_bytes)
      : plan_(plan), source_(source), target_(target), element_bytes_(static_cast<uint32_t>(element_bytes)) {
    lanes_ = static_cast<uint32_t>(source.size(BitGroup::lane));
    threads_ = static_cast<uint32_t>(source.threads());
  }

  SimulationResult run() {
    Registers from = expected(source_);
    Registers to(threads_, std::vector<int64_t>(static_cast<size_t>(target_.registers()), nothing));
    switch (plan_.kind) {
      case ConvertKind::identity:
        to = from;
        break;
      case ConvertKind::rename:
        rename(from, to);
        break;
      case ConvertKind::shuffle:
        shuffle(from, to);
        break;
      case ConvertKind::shared:
        shared(from, to);
        break;
    }
    if (to != expected(target_)) fail("a register holds the wrong element");
    return result_;
  }

 private:
  uint32_t lane(uint32_t thread) const { return thread % lanes_; }
  uint32_t warp(uint32_t thread) const { return thread / lanes_; }
  void fail(std::string_view what) {
    if (result_.error.empty()) result_.error = what;
  }

  Registers expected(const LinearLayout& layout) const {
    Registers registers(threads_);
    for (uint32_t t = 0; t < threads_; ++t) {
      for (int r = 0; r < layout.registers(); ++r) {
        registers[t].push_back((int64_t{layout.part_of(r)} << 32) +
                               layout.element(static_cast<uint32_t>(r), lane(t), warp(t)));
      }
    }
    return registers;
  }

  void rename(const Registers& from, Registers& to) {
    for (uint32_t t = 0; t < threads_; ++t) {
      for (size_t r = 0; r < plan_.rename.size(); ++r) to[t][r] = from[t].at(static_cast<size_t>(plan_.rename[r]));
    }
  }

  void swap(const std::vector<ConditionalSwap>& swaps, Registers& registers, int per_part) {
    for (const ConditionalSwap& s : swaps) {
      if (s.xor_mask == 0 || s.xor_mask >= static_cast<uint32_t>(per_part)) return fail("a swap leaves its part");
      for (uint32_t t = 0; t < threads_; ++t) {
        if ((std::popcount(lane(t) & s.lane_mask) + std::popcount(warp(t) & s.warp_mask)) % 2 == 0) continue;
        std::vector<int64_t> old = registers[t];
        for (size_t r = 0; r < old.size(); ++r) {
          size_t first = r - r % static_cast<size_t>(per_part);
          registers[t][r] = old[first + ((r - first) ^ s.xor_mask)];
        }
      }
    }
  }

  void copy(const std::vector<RegisterMove>& copies, Registers& registers) {
    for (const RegisterMove& move : copies) {
      for (auto& thread : registers)
        thread.at(static_cast<size_t>(move.target)) = thread.at(static_cast<size_t>(move.source));
    }
  }

  void shuffle(Registers from, Registers& to) {
    const ShufflePlan& plan = plan_.shuffle;
    swap(plan.before, from, source_.registers_per_part());
    for (const ShuffleStep& step : plan.steps) {
      if (step.sources.size() * element_bytes_ > 4 && step.sources.size() != 1) fail("a shuffle of more than a word");
      for (uint32_t t = 0; t < threads_; ++t) {
        uint32_t other = plan.source_lane(lane(t), warp(t)) ^ step.lane_xor;
        if (other >= lanes_) fail("no such lane"), other = 0;
        if (!plan.between_lanes && other != lane(t)) fail("a move between lanes");
        for (size_t i = 0; i < step.sources.size(); ++i) {
          to[t].at(static_cast<size_t>(step.targets.at(i))) =
              from[warp(t) * lanes_ + other].at(static_cast<size_t>(step.sources[i]));
        }
      }
    }
    swap(plan.after, to, target_.registers_per_part());
    copy(plan.copies, to);
  }

  /// One access of one warp: counts its conflicts and visits the elements of active lanes as (thread, register, cell).
  template <typename Visit>
  void access(uint32_t warp_index, const SharedAccess& access, const ThreadFunction& offset, bool store, Visit visit) {
    const SharedPlan& plan = plan_.shared;
    uint32_t bytes = static_cast<uint32_t>(access.registers.size()) * element_bytes_;
    uint32_t lanes_per_phase = std::min(32u, 128 / bytes);
    ++result_.accesses;
    for (uint32_t first = 0; first < lanes_; first += lanes_per_phase) {
      std::vector<uint32_t> addresses;
      for (uint32_t l = first; l < std::min(lanes_, first + lanes_per_phase); ++l) {
        if (store && ((l & plan.copy_lanes) || (warp_index & plan.copy_warps))) continue;
        uint32_t address = offset(l, warp_index) ^ access.offset;
        if (address % bytes != 0 || address + bytes > plan.bytes) return fail("an access out of place");
        addresses.push_back(address);
        for (size_t k = 0; k < access.registers.size(); ++k) {
          visit(warp_index * lanes_ + l, static_cast<size_t>(access.registers[k]), address / element_bytes_ + k);
        }
      }
      if (addresses.empty()) continue;
      ++result_.phases;
      result_.bank_conflicts += bank_conflicts(addresses, static_cast<int>(bytes));
    }
  }

  void shared(const Registers& from, Registers& to) {
    const SharedPlan& plan = plan_.shared;
    for (const SharedRound& round : plan.rounds) {
      std::vector<int64_t> memory(plan.bytes / element_bytes_, nothing);
      std::vector<uint32_t> writer(memory.size());
      for (uint32_t w = 0; w < threads_ / lanes_; ++w) {
        for (const SharedAccess& store : round.stores) {
          access(w, store, plan.store_offset, true, [&](uint32_t thread, size_t reg, size_t cell) {
            if (memory[cell] != nothing) fail("two stores to one place");
            memory[cell] = from[thread].at(reg);
            writer[cell] = w;
          });
        }
      }
      for (uint32_t w = 0; w < threads_ / lanes_; ++w) {
        for (const SharedAccess& load : round.loads) {
          access(w, load, plan.load_offset, false, [&](uint32_t thread, size_t reg, size_t cell) {
            if (memory[cell] != nothing && writer[cell] != w && plan.scope == SyncScope::warp)
              fail("a read across warps");
            if (to[thread].at(reg) != nothing) fail("a register loaded twice");
            to[thread][reg] = memory[cell];
          });
        }
      }
    }
    copy(plan.copies, to);
  }

  const ConvertPlan& plan_;
  const LinearLayout& source_;
  const LinearLayout& target_;
  uint32_t element_bytes_;
  uint32_t lanes_;
  uint32_t threads_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const ConvertPlan& plan, const LinearLayout& source, const LinearLayout& target,
                          int element_bytes) {
  return Simulator(plan, source, target, element_bytes).run();
}

int bank_conflicts(const std::vector<uint32_t>& byte_addresses, int access_bytes) {
  std::vector<std::set<uint32_t>> words(32);
  for (uint32_t address : byte_addresses) {
    for (uint32_t byte = address; byte < address + static_cast<uint32_t>(access_bytes); ++byte)
      words[byte / 4 % 32].insert(byte / 4);
  }
  size_t cycles = 1;
  for (const auto& bank : words) cycles = std::max(cycles, bank.size());
  return static_cast<int>(cycles) - 1;
}

}  // namespace sinter::tile_ir::testing
