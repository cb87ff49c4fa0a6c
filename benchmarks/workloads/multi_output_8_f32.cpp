// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("multi_output_8_f32", {{f32, {int64_t{1} << 24}}}, [](Arguments a) -> Results {
  const Tensor& x = a[0];
  return {x + 1, x * 2, relu(x), abs(x), neg(x), x * x, sigmoid(x), tanh(x)};
});

}  // namespace sinter::benchmarks
