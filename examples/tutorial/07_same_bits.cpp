// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>
#include <cstring>

namespace sn = sinter;

uint32_t bits(const sn::Tensor& t) {
  const float value = sn::item<float>(t);
  uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

int main() {
  // A sum whose terms differ in size: every other order of additions rounds differently.
  const auto total = [](sn::Tensor x) { return sn::sum(sn::exp(x) * 0.1); };
  const sn::Tensor x = sn::sin(sn::arange(1000000, {.dtype = sn::f32})) * 10;

  auto fused = sn::compile(total, {.name = "fused"});
  auto op_by_op = sn::compile(total, {.name = "op_by_op", .fusion = sn::Fusion::none});
  const uint32_t one = bits(fused(x)), other = bits(op_by_op(x)), eager = bits(total(x));
  sn::set_num_threads(1);
  const uint32_t one_thread = bits(fused(x));
  std::printf("%zu and %zu kernels; the same bits: %s\n", fused.explain(x).kernels().size(),
              op_by_op.explain(x).kernels().size(), one == other && one == eager && one == one_thread ? "yes" : "no");

  // f16 rounds after every op, as PyTorch does op by op. Where that is not wanted, once at the end is an option.
  const auto chain = [](sn::Tensor h) { return (h + 2048) - 2048; };
  auto per_op = sn::compile(chain, {.rounding = sn::Rounding::per_op});
  auto per_kernel = sn::compile(chain, {.rounding = sn::Rounding::per_kernel});
  const sn::Tensor half = sn::to(sn::from<float>({0.5f}), sn::f16);
  std::printf("per op %g, per kernel %g\n", sn::item<float>(per_op(half)), sn::item<float>(per_kernel(half)));
}
