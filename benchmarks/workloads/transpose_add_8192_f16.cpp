// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("transpose_add_8192_f16", {{f16, {8192, 8192}}, {f16, {8192, 8192}}},
                        [](Arguments a) -> Results { return {transpose(a[0], 0, 1) + a[1]}; });

}  // namespace sinter::benchmarks
