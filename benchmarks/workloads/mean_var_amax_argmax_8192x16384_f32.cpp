// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("mean_var_amax_argmax_8192x16384_f32", {{f32, {8192, 16384}}}, [](Arguments a) -> Results {
  const auto [var, mean] = var_mean(a[0], {.dims = {1}});
  return {mean, var, amax(a[0], {.dims = {1}}), argmax(a[0], {.dim = 1})};
});

}  // namespace sinter::benchmarks
