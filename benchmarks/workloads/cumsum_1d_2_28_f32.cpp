// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// Of one sign: where sums cancel, an error relative to them would say nothing.
const Workload workload("cumsum_1d_2^28_f32", {{.dtype = f32, .shape = {int64_t{1} << 28}, .low = 0, .high = 1}},
                        [](Arguments a) -> Results { return {cumsum(a[0], 0)}; });

}  // namespace sinter::benchmarks
