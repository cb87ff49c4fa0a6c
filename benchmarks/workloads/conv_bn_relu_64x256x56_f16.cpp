// SPDX-License-Identifier: Apache-2.0
// A layer of a network in inference: a 3x3 convolution of channels-last images, a batch norm, relu. The weights are
// frozen copies of the first call's.
#include "benchmarks/workload_runner/workload.h"

#include <map>

namespace sinter::benchmarks {
namespace {

/// w, mean, var, weight and bias of a device.
const std::vector<Tensor>& frozen(Arguments a) {
  static std::map<std::string, std::vector<Tensor>> by_device;
  std::vector<Tensor>& weights = by_device[a[0].device().text()];
  for (size_t i = weights.size() + 1; i < a.size(); ++i) weights.push_back(freeze(a[i] + 0));
  return weights;
}

const Input parameter{.dtype = f16, .shape = {256}, .low = 0.5, .high = 1.5};

}  // namespace

const Workload workload("conv_bn_relu_64x256x56_f16",
                        {{f16, {64, 256, 56, 56}, {256 * 56 * 56, 1, 56 * 256, 256}},
                         {f16, {256, 256, 3, 3}, {256 * 9, 1, 3 * 256, 256}, -0.05, 0.05},
                         parameter,
                         parameter,
                         parameter,
                         parameter},
                        [](Arguments a) -> Results {
                          const std::vector<Tensor>& w = frozen(a);
                          const Tensor y = conv2d(a[0], w[0], {.padding = {1}});
                          return {relu(batch_norm(y, w[1], w[2], w[3], w[4]))};
                        });

}  // namespace sinter::benchmarks
