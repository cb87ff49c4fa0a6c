// SPDX-License-Identifier: Apache-2.0
// The tenth step of AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization") as PyTorch writes it: four
// tensors read, three written.
#include "benchmarks/workload_runner/workload.h"

#include <cmath>
#include <utility>

namespace sinter::benchmarks {

const Workload workload("adamw_2^27_f32",
                        {{f32, {int64_t{1} << 27}},
                         {f32, {int64_t{1} << 27}},
                         {f32, {int64_t{1} << 27}},
                         {.dtype = f32, .shape = {int64_t{1} << 27}, .low = 0, .high = 2}},
                        [](Arguments a) -> Results {
                          constexpr double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01, steps = 10;
                          const double correction1 = 1 - std::pow(beta1, steps),
                                       correction2 = std::sqrt(1 - std::pow(beta2, steps));
                          const Tensor &param = a[0], &grad = a[1];
                          Tensor m = a[2] + (grad - a[2]) * (1 - beta1);
                          Tensor v = a[3] * beta2 + grad * grad * (1 - beta2);
                          Tensor p = param * (1 - lr * decay) - m * (lr / correction1) / (sqrt(v) / correction2 + eps);
                          return {std::move(p), std::move(m), std::move(v)};
                        });

}  // namespace sinter::benchmarks
