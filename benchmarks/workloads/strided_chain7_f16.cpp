// SPDX-License-Identifier: Apache-2.0
// Seven pointwise ops on a column-major tensor: what a workload of one's own takes.
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("strided_chain7_f16", {{f16, {4096, 8192}, {1, 4096}}}, [](Arguments a) -> Results {
  return {clamp(silu(a[0] * 1.5f - 0.25f) + abs(a[0]) * 0.125f, -1, 3)};
});

}  // namespace sinter::benchmarks
