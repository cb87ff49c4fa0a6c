// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("pointwise_relu_f16_64M", {{f16, {int64_t{1} << 26}}},
                        [](Arguments a) -> Results { return {relu(a[0] + 1) * 2}; });

}  // namespace sinter::benchmarks
