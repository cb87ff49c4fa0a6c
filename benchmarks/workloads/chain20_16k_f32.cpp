// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("chain20_16k_f32", {{f32, {16384}}, {f32, {16384}}}, [](Arguments a) -> Results {
  Tensor x = a[0];
  for (int i = 0; i < 10; ++i) x = sigmoid(x * 1.01f + a[1]) - 0.5f;
  return {x};
});

}  // namespace sinter::benchmarks
