// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("layernorm_16384x4096_bf16", {{bf16, {16384, 4096}}, {bf16, {4096}}, {bf16, {4096}}},
                        [](Arguments a) -> Results {
                          return {layer_norm(a[0], {4096}, {.weight = a[1], .bias = a[2]})};
                        });

}  // namespace sinter::benchmarks
