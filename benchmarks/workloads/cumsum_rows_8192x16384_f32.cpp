// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// Of one sign: where sums cancel, an error relative to them would say nothing.
const Workload workload("cumsum_rows_8192x16384_f32", {{.dtype = f32, .shape = {8192, 16384}, .low = 0, .high = 1}},
                        [](Arguments a) -> Results { return {cumsum(a[0], 1)}; });

}  // namespace sinter::benchmarks
