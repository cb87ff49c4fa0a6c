// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_run.h"

#include <array>

#include "src/capture/explain_region.h"

namespace sinter::capture {

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
  executable.run({inputs, r.key}, outputs);
  r.function.counters.launches.fetch_add(executable.launches(), std::memory_order_relaxed);
  if (Explanation* to = listening()) explain_region(*to, r, entry);
}

}  // namespace sinter::capture
