// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/schedule.h"

#include <algorithm>

#include "codegen/schedule/phased_rows.h"
#include "codegen/schedule/strategies.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {

std::vector<Candidate> schedule(const loop::Program& program, const loop::Group& group, const Target& target) {
  const std::vector<loop::Nest>& nests = group.nests;
  std::vector<Candidate> candidates;
  if (std::ranges::any_of(nests[0].axes, &loop::Axis::reduction)) {
    if (auto resident = resident_reduction(program, nests[0], group.name, group.comments, target))
      candidates.push_back(std::move(*resident));
    candidates.emplace_back([&] { return schedule_reduction(program, nests[0], group.name, group.comments, target); });
    return candidates;
  }
  if (loop::scan_axis(nests[0])) {
    for (int32_t most : {32, 16, 8})
      candidates.emplace_back(
          [&, most] { return schedule_scan(program, nests[0], group.name, group.comments, target, most); });
    return candidates;
  }
  if (nests.size() == 1)
    if (auto counting = counting_in_tables(program, nests[0], group.name, group.comments, target))
      candidates.push_back(std::move(*counting));
  if (nests.size() == 1)
    if (auto phased = with_phased_rows(program, nests[0], target))
      candidates.emplace_back([&, p = std::move(*phased)] {
        return schedule_pointwise(program, {&p.nest, 1}, group.name, group.comments, target, {&p.tiling, 1});
      });
  std::vector<std::vector<Tiling>> tilings;
  size_t most = 0;
  for (const loop::Nest& nest : nests) {
    tilings.push_back(choose_tilings(program, nest, target));
    most = std::max(most, tilings.back().size());
  }
  for (size_t k = 0; k < most; ++k) {
    std::vector<Tiling> kth;  // of a nest with fewer, the last
    for (const auto& of_nest : tilings) kth.push_back(of_nest[std::min(k, of_nest.size() - 1)]);
    candidates.emplace_back(
        [&, kth] { return schedule_pointwise(program, nests, group.name, group.comments, target, kth); });
  }
  return candidates;
}

}  // namespace sinter::schedule
