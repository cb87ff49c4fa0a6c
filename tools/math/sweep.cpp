// SPDX-License-Identifier: Apache-2.0
//
// Measures an expansion over every f32 (or every STRIDE-th) against double precision:
//   sweep <function> [stride] [definition: f32|f16|bf16]
// prints the largest error, its argument and the time. Compile with -O3 -march=native -ffp-contract=off.
#include "tests/math/oracle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using sinter::math_test::Function;

struct Worst {
  double error = 0;
  float x = 0;
  float got = 0;
  double exact = 0;
};

Worst sweep(const Function& f, const sinter::math_test::Format& format, uint64_t stride, double& seconds) {
  constexpr int block = 4096;
  float x[block], y[block];
  Worst worst;
  seconds = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += block * stride) {
    for (int i = 0; i < block; ++i) {
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(std::min<uint64_t>(bits + i * stride, 0xffffffffu)));
    }
    const auto start = std::chrono::steady_clock::now();
    f.evaluate(x, y, block, format.result);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (int i = 0; i < block; ++i) {
      const double exact = f.exact(x[i]);
      const double error = sinter::math_test::error_in_ulps(y[i], exact, format);
      if (f.absolute && std::fabs(y[i] - exact) <= f.absolute(x[i], format.result)) continue;
      if (!(error <= worst.error)) worst = {error, x[i], y[i], exact};
    }
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "";
  const uint64_t stride = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  const char* definition = argc > 3 ? argv[3] : "";
  for (const Function& f : sinter::math_test::functions()) {
    if (*wanted && std::strcmp(wanted, "all") != 0 && std::strcmp(wanted, f.name) != 0) continue;
    for (const auto& format : sinter::math_test::formats()) {
      if (*definition && std::strcmp(definition, format.name) != 0) continue;
      double seconds = 0;
      const Worst w = sweep(f, format, stride, seconds);
      std::printf("%-8s %-5s max %.4f ulp at %.9g (0x%08x): %.9g, exact %.12g; %.2f s\n", f.name, format.name, w.error,
                  w.x, std::bit_cast<uint32_t>(w.x), w.got, w.exact, seconds);
      std::fflush(stdout);
    }
  }
}
