// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// Rows of a table of 128256, times the square root of their length.
const Workload workload("embedding_scale_32768x4096_bf16",
                        {{bf16, {128256, 4096}}, {.dtype = i64, .shape = {32768}, .low = 0, .high = 128255}},
                        [](Arguments a) -> Results { return {embedding(a[0], a[1]) * 64}; });

}  // namespace sinter::benchmarks
