// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("layernorm_16384x6007_bf16", {{bf16, {16384, 6007}}, {bf16, {6007}}, {bf16, {6007}}},
                        [](Arguments a) -> Results {
                          return {layer_norm(a[0], {6007}, {.weight = a[1], .bias = a[2]})};
                        });

}  // namespace sinter::benchmarks
