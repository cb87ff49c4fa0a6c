// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("swiglu_8192x14336_bf16", {{bf16, {8192, 14336}}, {bf16, {8192, 14336}}},
                        [](Arguments a) -> Results { return {silu(a[0]) * a[1]}; });

}  // namespace sinter::benchmarks
