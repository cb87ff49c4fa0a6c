// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/seeded_fault.h"
#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

/// A miscompile for as long as it lives.
class PlantedFault {
 public:
  explicit PlantedFault(graph::Fault f) { graph::planted_fault = f; }
  ~PlantedFault() { graph::planted_fault = graph::Fault::none; }
  PlantedFault(const PlantedFault&) = delete;
  PlantedFault& operator=(const PlantedFault&) = delete;
};

/// Does the CPU show the fault in this case?
inline bool is_found(const Case& c, graph::Fault f) {
  const PlantedFault planted(f);
  return compare(c, cpu_ways).verdict == Verdict::different;
}

}  // namespace sinter::fuzz
