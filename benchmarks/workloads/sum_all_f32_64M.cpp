// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("sum_all_f32_64M", {{f32, {int64_t{1} << 26}}},
                        [](Arguments a) -> Results { return {sum(a[0] * a[0])}; });

}  // namespace sinter::benchmarks
