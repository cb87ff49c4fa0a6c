// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload(
    "broadcast_mask_256x512x1021_f16",
    {{boolean, {256, 512, 1021}}, {f16, {256, 1, 1021}}, {f16, {1, 512, 1021}}, {f16, {256, 512, 1}}},
    [](Arguments a) -> Results { return {where(a[0], a[1] * a[2] + a[3], 0)}; });

}  // namespace sinter::benchmarks
