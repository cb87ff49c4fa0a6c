// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

void print(const char* name, const sn::Tensor& t) {
  std::printf("%s: %s =", name, t.text().c_str());
  for (const float v : sn::to_vector<float>(t)) std::printf(" %g", v);
  std::printf("\n");
}

int main() {
  auto chain = sn::compile([](sn::Tensor x) { return sn::relu(x + 1) * 2; }, {.name = "chain"});

  const sn::Tensor x = sn::from<float>({-3, -1, 0, 2});
  print("y", chain(x));  // the first call compiles
  print("y", chain(x));  // later calls match, check and launch
  std::printf("kernels: %zu, compilations: %d\n", chain.explain(x).kernels().size(),
              static_cast<int>(chain.stats().compilations));

  // The same functions run at once outside compile(), with the same bits.
  print("eager", sn::relu(x + 1) * 2);
}
