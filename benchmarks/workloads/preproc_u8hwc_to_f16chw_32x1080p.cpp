// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

const Workload workload("preproc_u8hwc_to_f16chw_32x1080p",
                        {{.dtype = u8, .shape = {32, 1080, 1920, 3}, .low = 0, .high = 255}},
                        [](Arguments a) -> Results {
                          static const Tensor mean = from<float>({0.485f, 0.456f, 0.406f}),
                                              deviation = from<float>({0.229f, 0.224f, 0.225f});
                          return {to(permute((to(a[0], f32) / 255 - mean) / deviation, {0, 3, 1, 2}), f16)};
                        });

}  // namespace sinter::benchmarks
