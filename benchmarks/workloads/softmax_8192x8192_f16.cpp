// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("softmax_8192x8192_f16", {{.dtype = f16, .shape = {8192, 8192}, .low = -8, .high = 8}},
                        [](Arguments a) -> Results { return {softmax(a[0], -1)}; });

}  // namespace sinter::benchmarks
