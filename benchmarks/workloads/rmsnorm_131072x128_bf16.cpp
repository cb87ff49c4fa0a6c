// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("rmsnorm_131072x128_bf16", {{bf16, {131072, 128}}, {bf16, {128}}},
                        [](Arguments a) -> Results { return {rms_norm(a[0], {128}, {.weight = a[1], .eps = 1e-6})}; });

}  // namespace sinter::benchmarks
