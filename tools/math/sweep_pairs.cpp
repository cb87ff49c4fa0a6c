// SPDX-License-Identifier: Apache-2.0
//
// Measures the functions of two arguments against double precision and prints lines of accuracy.txt:
//   sweep_pairs [function|all] [pairs: 1000000000]
// Compiled like the tests, with -O2 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math, from this file
// and tests/math/oracle.cpp, evaluate.cpp and exact.cpp, a pair takes about 0.2 us.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/math/pairs.h"

namespace {

using namespace sinter::math_test;  // NOLINT(google-build-using-namespace): nothing else is in this file

/// SplitMix64: the tests' generator would take half of the time.
struct Random {
  using result_type = uint64_t;
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  uint64_t state = 1;
  uint64_t operator()() {
    uint64_t v = state += 0x9e3779b97f4a7c15u;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
  }
};

void sweep(const Function2& f, long long pairs) {
  Random random;
  double worst[3] = {};
  float at[3][2] = {};
  for (long long i = 0; i < pairs; ++i) {
    const auto [a, b] = pair_for(f, random);
    const double exact = f.exact(static_cast<double>(a), static_cast<double>(b));
    for (int d = 0; d < 3; ++d) {
      const double error = error_in_ulps(f.evaluate(a, b, d), exact, formats()[static_cast<size_t>(d)]);
      if (error <= worst[d]) continue;
      worst[d] = error;
      at[d][0] = a;
      at[d][1] = b;
    }
  }
  for (int d = 0; d < 3; ++d)
    std::printf("pairs %s %s %lld: %.4f at %.9g and %.9g\n", f.name, formats()[static_cast<size_t>(d)].name, pairs,
                worst[d], static_cast<double>(at[d][0]), static_cast<double>(at[d][1]));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "all";
  const long long pairs = argc > 2 ? std::atoll(argv[2]) : 1'000'000'000;
  for (const Function2& f : functions_of_two)
    if (std::strcmp(wanted, "all") == 0 || std::strcmp(wanted, f.name) == 0) sweep(f, pairs);
}
