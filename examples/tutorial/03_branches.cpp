// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

int main() {
  int calls = 0;
  auto gate = sn::compile(
      [&](sn::Tensor x) {
        ++calls;  // host code runs on every call
        const sn::Tensor total = sn::sum(x);
        if (sn::item<float>(total) > 0) return x * 2;  // the value decides here: a graph break
        return x - total;
      },
      {.name = "gate"});

  for (const auto& values : {sn::from<float>({1, 2}), sn::from<float>({-1, -2}), sn::from<float>({3, 4})}) {
    const auto y = sn::to_vector<float>(gate(values));
    std::printf("%g %g\n", y[0], y[1]);
  }
  std::printf("calls %d, compilations %d\n", calls, static_cast<int>(gate.stats().compilations));
  const sn::Explanation e = gate.explain(sn::from<float>({1, 2}));
  for (const sn::RegionExplanation& region : e.regions)
    std::printf("region ends at %s, %zu kernel\n", region.end.c_str(), region.kernels.size());

  // Without a break: where() picks element by element, on the device.
  auto whole = sn::compile(
      [](sn::Tensor x) {
        const sn::Tensor total = sn::sum(x);
        return sn::where(total > 0, x * 2, x - total);
      },
      {.name = "whole", .fullgraph = true});
  std::printf("with where(): %zu region\n", whole.explain(sn::from<float>({1, 2})).regions.size());

  // fullgraph makes a break an error.
  auto refused = sn::compile([](sn::Tensor x) { return sn::item<float>(sn::sum(x)) > 0 ? x : x + 1; },
                             {.name = "refused", .fullgraph = true});
  try {
    (void)refused(sn::from<float>({1, 2}));
  } catch (const sn::CompileError& error) {
    std::printf("%s\n", error.what());
  }
}
