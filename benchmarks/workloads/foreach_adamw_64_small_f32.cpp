// SPDX-License-Identifier: Apache-2.0
// The tenth step of AdamW, as in adamw_2_27_f32.cpp, for 64 small parameters of different lengths: biases and gains.
#include "benchmarks/workload_runner/workload.h"

#include <cmath>

namespace sinter::benchmarks {
namespace {

constexpr size_t parameters = 64;

std::vector<Input> inputs() {
  std::vector<Input> all;
  for (size_t i = 0; i < parameters; ++i) {
    const auto length = static_cast<int64_t>(256 * (1 + i % 8) + i);
    for (int k = 0; k < 3; ++k) all.push_back({f32, {length}});
    all.push_back({.dtype = f32, .shape = {length}, .low = 0, .high = 2});
  }
  return all;
}

Results step(Arguments a) {
  constexpr double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01, steps = 10;
  const double correction1 = 1 - std::pow(beta1, steps), correction2 = std::sqrt(1 - std::pow(beta2, steps));
  Results results;
  for (size_t i = 0; i < parameters; ++i) {
    const Tensor &param = a[4 * i], &grad = a[4 * i + 1], &first = a[4 * i + 2], &second = a[4 * i + 3];
    const Tensor m = first + (grad - first) * (1 - beta1);
    const Tensor v = second * beta2 + grad * grad * (1 - beta2);
    results.push_back(param * (1 - lr * decay) - m * (lr / correction1) / (sqrt(v) / correction2 + eps));
    results.push_back(m);
    results.push_back(v);
  }
  return results;
}

}  // namespace

const Workload workload("foreach_adamw_64_small_f32", inputs(), step);

}  // namespace sinter::benchmarks
