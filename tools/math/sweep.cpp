// SPDX-License-Identifier: Apache-2.0
//
// Measures expansions against double precision and prints lines of accuracy.txt:
//   sweep <function|all> [definition: f32|f16|bf16] [stride]
// f32 over every STRIDE-th input (1 unless given); f16 and bf16 over
// all inputs of their type and every STRIDE-th f32 (7 unless given). A sweep of all f32 takes from 25 s to 2 min if it
// is compiled with -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math from this file and
//   tests/math/evaluate.cpp   by Clang, with -mllvm -inline-threshold=1000000: vector code of the expansions
//   tests/math/exact.cpp      by GCC, with -DSINTER_VECTOR_ORACLE: the vector functions of glibc; link -lmvec
//   tests/math/oracle.cpp
#include "tests/math/inputs.h"
#include "tests/math/oracle.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using sinter::math_test::Format;
using sinter::math_test::Function;

struct Worst {
  double error = 0;
  float x = 0;
};

constexpr int chunk = 4096;

/// Whether an error may be above `worst`: quick, and vector code.
void find_suspects(const Format& format, const float* y, const double* exact, int n, double worst, uint8_t* suspect) {
  const auto least = static_cast<uint64_t>(1023 + format.min_exponent);
  const auto top = static_cast<uint64_t>(2046 + format.precision - 1);
  for (int i = 0; i < n; ++i) {
    const auto rounded = static_cast<float>(exact[i]);
    const bool same =
        (std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(rounded)) | ((y[i] != y[i]) & (exact[i] != exact[i]));
    const uint64_t exponent = std::bit_cast<uint64_t>(exact[i]) >> 52 & 0x7ff;
    const auto one_ulp = std::bit_cast<double>((top - (exponent < least ? least : exponent)) << 52);
    const double error = std::fabs(static_cast<double>(y[i]) - exact[i]) * one_ulp;
    suspect[i] = !same & !(error <= worst);
  }
}

/// One chunk of at most `chunk` inputs; results stay in y.
void measure(const Function& f, const Format& format, const float* x, float* y, int n, Worst& worst) {
  double exact[chunk];
  uint8_t suspect[chunk];
  f.evaluate(x, y, n, format.result);
  f.exact(x, exact, n);
  find_suspects(format, y, exact, n, worst.error, suspect);
  for (int i = 0; i < n; ++i) {
    if (!suspect[i]) continue;
    const double error = sinter::math_test::error_in_ulps(y[i], exact[i], format);
    if (error <= worst.error) continue;
    if (f.absolute && std::fabs(y[i] - exact[i]) <= f.absolute(x[i], format.result)) continue;
    worst = {error, x[i]};
  }
}

/// Every stride-th f32.
Worst sweep_f32(const Function& f, const Format& format, uint64_t stride) {
  float x[chunk], y[chunk];
  Worst worst;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += chunk * stride) {
    for (uint64_t i = 0; i < chunk; ++i)
      x[i] = std::bit_cast<float>(static_cast<uint32_t>(std::min<uint64_t>(bits + i * stride, 0xffffffffu)));
    measure(f, format, x, y, chunk, worst);
  }
  return worst;
}

Worst sweep_half(const Function& f, const Format& format, uint64_t stride) {
  Worst worst = sweep_f32(f, format, stride);
  std::vector<float> x = sinter::math_test::all_of_16_bits(format.result), y(chunk);
  for (size_t i = 0; i < x.size(); i += chunk) measure(f, format, x.data() + i, y.data(), chunk, worst);
  return worst;
}

void sweep(const Function& f, const Format& format, uint64_t stride) {
  const bool half = format.result != sinter::f32;
  const uint64_t step = stride != 0 ? stride : half ? 7 : 1;
  const Worst w = half ? sweep_half(f, format, step) : sweep_f32(f, format, step);
  std::printf("worst %s %s every %llu: %.4f at 0x%08x\n", f.name, format.name, static_cast<unsigned long long>(step),
              w.error, std::bit_cast<uint32_t>(w.x));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "all";
  const char* definition = argc > 2 ? argv[2] : "";
  const uint64_t stride = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  for (const Function& f : sinter::math_test::functions()) {
    if (std::strcmp(wanted, "all") != 0 && std::strcmp(wanted, f.name) != 0) continue;
    for (const Format& format : sinter::math_test::formats())
      if (!*definition || std::strcmp(definition, format.name) == 0) sweep(f, format, stride);
  }
}
