// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// The sum goes on along the residual branch.
const Workload workload("add_rmsnorm_16384x4096_bf16", {{bf16, {16384, 4096}}, {bf16, {16384, 4096}}, {bf16, {4096}}},
                        [](Arguments a) -> Results {
                          const Tensor h = a[0] + a[1];
                          return {rms_norm(h, {4096}, {.weight = a[2], .eps = 1e-6}), h};
                        });

}  // namespace sinter::benchmarks
