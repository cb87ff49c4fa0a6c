// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "src/capture/entry.h"
#include "src/capture/key.h"
#include "src/capture/trace.h"

namespace sinter::capture {

/// Some values of a region, and the entries that compute just these.
struct OutputSet {
  std::vector<int32_t> outputs;  ///< slots, ascending
  EntryList entries;
  std::atomic<OutputSet*> next{nullptr};
};

/// What the end of a region needs: a slot, or one of these.
inline constexpr int32_t demand_nothing = -1;     ///< a break that reads nothing by itself
inline constexpr int32_t demand_everything = -2;  ///< the end of the function, a synchronisation, a change of stream

/// A place where a region ended, with given live handles and a given demand.
///
/// At a break only some of the live handles are stored: what is demanded, and what calls that came this way used later.
/// The others keep a recipe (recipe.h); using one adds it to `stored`, so that the next call computes it at the break.
struct RegionEnd {
  std::vector<int32_t> live;  ///< slots, ascending
  int32_t demanded = demand_everything;
  std::vector<RegionWrite> writes;
  /// Slots that have to be stored in one go, since the live ones among them are views of one memory: what is written to
  /// one later changes the others. Among them is what they are views of.
  std::vector<std::vector<int32_t>> shared;
  TraceNode continuation;  ///< root of what follows
  std::atomic<OutputSet*> sets{nullptr};
  std::atomic<OutputSet*> stored{nullptr};
  std::atomic<RegionEnd*> next{nullptr};

  RegionEnd(const TraceNode& last, std::span<const int32_t> live, int32_t demanded,
            std::span<const RegionWrite> writes);
  ~RegionEnd();
  RegionEnd(const RegionEnd&) = delete;
  RegionEnd& operator=(const RegionEnd&) = delete;
};

/// The end of these properties; made under `grow` if there is none. What is written follows from the node.
RegionEnd& end_at(TraceNode& node, std::span<const int32_t> live, int32_t demanded, std::span<const RegionWrite> writes,
                  std::mutex& grow);
/// The set of these slots (ascending) and those that share memory with them; made under `grow` if there is none.
OutputSet& output_set(RegionEnd& end, std::span<const int32_t> slots, std::mutex& grow);

}  // namespace sinter::capture
