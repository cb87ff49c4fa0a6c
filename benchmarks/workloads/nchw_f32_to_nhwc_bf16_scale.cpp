// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("nchw_f32_to_nhwc_bf16_scale", {{f32, {64, 256, 56, 56}}},
                        [](Arguments a) -> Results { return {to(permute(a[0] * 0.5f, {0, 2, 3, 1}), bf16)}; });

}  // namespace sinter::benchmarks
