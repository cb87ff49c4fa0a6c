// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("softmax_32768x4096_bf16", {{.dtype = bf16, .shape = {32768, 4096}, .low = -8, .high = 8}},
                        [](Arguments a) -> Results { return {softmax(a[0], -1)}; });

}  // namespace sinter::benchmarks
