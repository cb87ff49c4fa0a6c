// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>
#include <string>
#include <vector>

namespace sn = sinter;

int main() {
  auto op = sn::compile([](sn::Tensor x) { return sn::relu(x + 1) * 2; });
  const sn::Tensor x = sn::from<float>({-3, -1, 0, 2.5f});
  if (sn::to_vector<float>(op(x)) != std::vector<float>{0, 0, 2, 7}) return std::puts("wrong values"), 1;
  if (op.explain(x).kernels().size() != 1) return std::puts("not one kernel"), 1;
  try {
    (void)(x + sn::from<float>({1, 2, 3}));
  } catch (const sn::UserError& error) {
    return std::string(error.what()).find("main.cpp") == std::string::npos;
  }
  return std::puts("no error for shapes that do not broadcast"), 1;
}
