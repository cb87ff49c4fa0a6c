// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

#include <utility>

namespace sinter::benchmarks {

const Workload workload("preproc_resize224_norm_32x1080p",
                        {{.dtype = u8, .shape = {32, 1080, 1920, 3}, .low = 0, .high = 255}},
                        [](Arguments a) -> Results {
                          static const Tensor mean = from<float>({0.485f, 0.456f, 0.406f}),
                                              deviation = from<float>({0.229f, 0.224f, 0.225f});
                          Tensor x = image::resize(to(a[0], f32), {224, 224}) / 255;
                          return {to(permute(clamp((std::move(x) - mean) / deviation, -3, 3), {0, 3, 1, 2}), f16)};
                        });

}  // namespace sinter::benchmarks
