// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_run.h"

#include <array>

#include "src/capture/explain_region.h"

namespace sinter::capture {
namespace {

/// Of this thread, so that a region whose backend runs other regions counts theirs.
constinit thread_local int64_t launches = 0;

}  // namespace

void run_entry(const RegionCall& r, Entry& entry, std::span<tensor::TensorImpl* const> outputs) {
  if (!computes(r)) {
    if (Explanation* to = listening()) explain_region(*to, r, entry);
    return;
  }
  const exec::Executable& executable = variant_for(r, entry);
  std::array<tensor::TensorImpl*, 16> few;
  std::vector<tensor::TensorImpl*> many;
  std::span<tensor::TensorImpl*> inputs(few.data(), r.inputs.size());
  if (r.inputs.size() > few.size()) {
    many.resize(r.inputs.size());
    inputs = many;
  }
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = r.inputs[i].impl();
  const int64_t before = launches;
  executable.run({inputs, r.key}, outputs);
  launches += executable.launches();
  r.function.counters.launches.fetch_add(launches - before, std::memory_order_relaxed);
  if (Explanation* to = listening()) explain_region(*to, r, entry);
}

}  // namespace sinter::capture
