// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("cross_entropy_8192x50257_bf16",
                        {{.dtype = bf16, .shape = {8192, 50257}, .low = -8, .high = 8},
                         {.dtype = i64, .shape = {8192}, .low = 0, .high = 50256}},
                        [](Arguments a) -> Results { return {cross_entropy(a[0], a[1])}; });

}  // namespace sinter::benchmarks
