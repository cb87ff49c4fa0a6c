// SPDX-License-Identifier: Apache-2.0
#include <sinter/benchmark.h>
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

int main() {
  auto blend =
      sn::compile([](sn::Tensor a, sn::Tensor b) { return sn::sqrt(a * 0.25f + b * 0.75f); }, {.name = "blend"});
  const sn::Tensor a = sn::ones({1 << 16}), b = sn::full({1 << 16}, 4.0f);

  const sn::BenchmarkResult result = sn::benchmark(blend, {.rounds = 5, .seconds = 1}, a, b);
  std::printf("%s reads %d bytes and writes %d\n", result.name.c_str(), static_cast<int>(result.argument_bytes),
              static_cast<int>(result.result_bytes));
  for (const sn::BenchmarkWay& way : result.ways)
    std::printf("%s: %d launches, measured: %s\n", way.name.c_str(), static_cast<int>(way.launches),
                way.device.median > 0 && way.cold_ms > 0 ? "yes" : "no");
}
