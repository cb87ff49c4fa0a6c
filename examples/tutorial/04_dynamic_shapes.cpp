// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

int main() {
  float bias = 1;
  auto f = sn::compile([&](sn::Tensor x) { return sn::sum(x * bias, {.dims = {1}}); }, {.name = "rows"});
  const auto call = [&](int64_t rows, float b) {
    bias = b;
    const auto y = sn::to_vector<float>(f(sn::ones({rows, 4})));
    std::printf("%zu rows of %g, compilations %d\n", y.size(), y[0], static_cast<int>(f.stats().compilations));
  };
  call(50, 1);  // static first
  call(37, 1);  // the extent becomes a run-time argument
  call(12, 1);  // any other extent is a hit
  call(12, 3);  // and so the number
  call(99, 7);
  for (const std::string& why : f.explain(sn::ones({5, 4})).recompiles) std::printf("%s\n", why.c_str());

  // Symbols from the start: one compilation for all sizes.
  auto always = sn::compile([](sn::Tensor x) { return x + 1; }, {.dynamic = sn::Dynamic::always});
  for (const int64_t n : {3, 8, 100}) (void)always(sn::ones({n}));
  std::printf("always: %d\n", static_cast<int>(always.stats().compilations));

  // Never: each size has its own code, with literal extents.
  auto never = sn::compile([](sn::Tensor x) { return x + 1; }, {.dynamic = sn::Dynamic::never});
  for (const int64_t n : {3, 8, 100}) (void)never(sn::ones({n}));
  std::printf("never: %d\n", static_cast<int>(never.stats().compilations));
}
