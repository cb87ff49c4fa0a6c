// SPDX-License-Identifier: Apache-2.0
// Calls a compiled function and prints: result, compilations, disk hits, and whether LLVM came into the process.
#include <sinter/sinter.h>

#include <cstdio>
#include <fstream>
#include <string>

int main() {
  namespace sn = sinter;
  auto f = sn::compile([](sn::Tensor x) { return sn::sum(sn::exp(x * 0.5) - 1); }, {.name = "cached"});
  float result = 0;
  try {
    result = sn::item<float>(f(sn::from<float>({0, 1, 2, 3, 4, 5, 6})));
  } catch (const std::exception& e) {
    std::printf("failed: %s\n", e.what());
    return 1;
  }
  bool llvm = false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) llvm = llvm || line.find("LLVM") != std::string::npos ||
                                                           line.find("sinter_llvm") != std::string::npos;
  std::printf("%a %d %d %d\n", static_cast<double>(result), static_cast<int>(f.stats().compilations),
              static_cast<int>(f.stats().disk_hits), llvm ? 1 : 0);
}
