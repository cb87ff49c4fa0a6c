// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("colsum_16384x4096_bf16", {{bf16, {16384, 4096}}},
                        [](Arguments a) -> Results { return {sum(a[0], {.dims = {0}})}; });

}  // namespace sinter::benchmarks
