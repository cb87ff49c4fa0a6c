// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/saved_programs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "src/compiler/pipeline.h"

namespace sinter::compiler {
namespace {

int32_t number_of(std::vector<saved::Target>& all, const saved::Target& target) {
  const auto found = std::ranges::find(all, target);
  const auto number = static_cast<int32_t>(found - all.begin());
  if (found == all.end()) all.push_back(target);
  return number;
}

int32_t number_of(std::vector<saved::Code>& all, std::string bytes) {
  const auto found = std::ranges::find(all, bytes, &saved::Code::bytes);
  const auto number = static_cast<int32_t>(found - all.begin());
  if (found == all.end()) all.push_back({std::move(bytes)});
  return number;
}

saved::Program program_of(saved::File& file, const Generated& made, const saved::Target& target, bool aligned) {
  saved::Program p{number_of(file.targets, target), aligned, made.plan, {}};
  for (exec::KernelRef& k : p.plan.kernels) k.key.clear();  // of the disk cache
  for (const CodeImage& image : made.images)
    p.code.push_back(number_of(file.code, target.source ? image.source : image.image));
  return p;
}

}  // namespace

void add_programs(saved::File& file, saved::SavedCall& call, const graph::Graph& graph, const Options& options,
                  const std::vector<SaveTarget>& targets, bool source) {
  bool source_added = false;
  for (const SaveTarget& t : targets) {
    graph::Graph g = graph;
    g.device = t.target.kind == DeviceKind::cpu ? Device::cpu() : Device::cuda();
    const bool with_source = source && !source_added && g.device.is_cuda();
    for (const bool aligned : {true, false}) {
      Options o = options;
      o.aligned = aligned;
      const Generated made = run_pipeline(g, o, t.properties);
      call.programs.push_back(program_of(file, made, t.target, aligned));
      if (with_source) {
        const saved::Target text{DeviceKind::cuda, t.target.architecture, true, {}};
        call.programs.push_back(program_of(file, made, text, aligned));
      }
    }
    source_added = source_added || with_source;
  }
}

}  // namespace sinter::compiler
