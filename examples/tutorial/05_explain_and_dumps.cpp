// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

namespace sn = sinter;

int main() {
  setenv("SINTER_DUMP", "dumps", 1);  // usually set outside; read when Sinter is first used
  setenv("SINTER_CACHE", "0", 1);     // what comes from the disk cache goes through no steps

  auto centred = sn::compile(
      [](sn::Tensor x) {
        const sn::Tensor y = sn::log1p(sn::exp(x));
        return y - sn::mean(y, {.dims = {-1}, .keepdim = true});
      },
      {.name = "centred"});
  const sn::Tensor x = sn::from<float>({0, 1, 2, 3}, {2, 2});

  const sn::Explanation e = centred.explain(x);  // calls the function and says what ran
  std::printf("%s, compiled at %s: %zu region, %d breaks\n", e.name.c_str(), e.location.c_str(), e.regions.size(),
              e.breaks());
  const sn::RegionExplanation& region = e.regions.at(0);
  for (const sn::GuardExplanation& guard : region.guards)
    std::printf("guard   %s: %s, %s\n", guard.subject.c_str(), guard.text.c_str(), guard.state.c_str());
  for (const std::string& line : region.graph) std::printf("graph   %s\n", line.c_str());
  for (const sn::KernelExplanation& kernel : region.kernels) {
    std::printf("kernel  %s\n", kernel.name.c_str());
    for (const std::string& note : kernel.notes) std::printf("        %s\n", note.c_str());
  }
  std::printf("moves %d bytes; op by op it would be %d\n", static_cast<int>(region.bytes),
              static_cast<int>(region.unfused_bytes));

  // The dump holds every step, numbered in order.
  std::set<std::string> kinds;
  for (const auto& file : std::filesystem::recursive_directory_iterator("dumps"))
    if (file.is_regular_file()) kinds.insert(file.path().extension().string());
  std::printf("dumped:");
  for (const std::string& kind : kinds) std::printf(" %s", kind.c_str());
  std::printf("\n");
}
