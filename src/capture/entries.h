// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/capture/function.h"
#include "src/capture/region_end.h"
#include "src/tensor/impl.h"

namespace sinter::capture {

/// A region that is about to run: where it ended and with what.
struct RegionCall {
  Function& function;
  const TraceNode* last;
  RegionEnd& end;
  OutputSet& set;                  ///< of `end`: what is computed
  std::span<const Tensor> inputs;  ///< all on `device`
  std::span<const int64_t> key;
  Device device;
  const char* why;
  SourceLine line;
  bool at_break;              ///< more of the function follows
  bool compiled_now = false;  ///< the entry was made for this call
  bool later = false;         ///< a recipe is computed: the region ended before
  bool compiles = true;       ///< for this device now; not if it is saved for others
};

/// Makes the entry for a key that no entry matches: static the first time, then with what changed promoted to symbols,
/// fully dynamic past max_entries. One thread compiles, others wait and take its entry.
Entry& compile_entry(const RegionCall& region);

/// Does the region compute anything? If not its entries have no code: they say that the region's types fit the key.
inline bool computes(const RegionCall& r) { return !r.set.outputs.empty() || !r.end.writes.empty(); }

/// Which of an entry's variants these inputs need: 1 where some input is not 16-byte aligned and code depends on it.
/// Do all of them begin at multiples of 16 bytes?
bool are_aligned(std::span<const Tensor> inputs);
size_t variant_of(const RegionCall& region, const Entry& entry);

/// The executable of an entry for these inputs' alignment; compiled when first needed.
const exec::Executable& variant_for(const RegionCall& region, Entry& entry);

}  // namespace sinter::capture
