// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

// Frames times a matrix of colours, gamma, normalisation, channels first.
const Workload workload("colormatrix_gamma_norm_8x4k",
                        {{.dtype = u8, .shape = {8, 2160, 3840, 3}, .low = 0, .high = 255}},
                        [](Arguments a) -> Results {
                          static const Tensor matrix =
                              from<float>({0.7f, 0.2f, 0.1f, 0.1f, 0.8f, 0.1f, 0.05f, 0.15f, 0.8f}, {3, 3});
                          static const Tensor mean = from<float>({0.485f, 0.456f, 0.406f});
                          const Tensor linear = clamp(matmul(to(a[0], f32) / 255, matrix), 0, 1);
                          return {to(permute((pow(linear, 1 / 2.2) - mean) * 2, {0, 3, 1, 2}), f16)};
                        });

}  // namespace sinter::benchmarks
