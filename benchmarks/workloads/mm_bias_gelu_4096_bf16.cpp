// SPDX-License-Identifier: Apache-2.0
// A layer of a network: the product, the bias and gelu (tanh) of its sum.
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// Weights such that the product is of the size of its inputs, where gelu is not yet the identity.
const Workload workload(
    "mm_bias_gelu_4096_bf16",
    {{bf16, {4096, 4096}}, {.dtype = bf16, .shape = {4096, 4096}, .low = -0.03, .high = 0.03}, {bf16, {4096}}},
    [](Arguments a) -> Results { return {gelu(linear(a[0], a[1], a[2]), {.approximate = Approximate::tanh})}; });

}  // namespace sinter::benchmarks
