// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/schedule.h"

#include <algorithm>

#include "codegen/schedule/strategies.h"

namespace sinter::schedule {

std::vector<Candidate> schedule(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                const std::vector<std::string>& comments, const Target& target) {
  if (std::ranges::any_of(nest.axes, &loop::Axis::reduction))
    return {[&, name] { return schedule_reduction(program, nest, name, comments, target); }};
  std::vector<Candidate> candidates;
  for (const Tiling& t : choose_tilings(program, nest, target))
    candidates.emplace_back([&, name, t] { return schedule_pointwise(program, nest, name, comments, target, t); });
  return candidates;
}

}  // namespace sinter::schedule
