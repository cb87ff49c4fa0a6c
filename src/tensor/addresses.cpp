// SPDX-License-Identifier: Apache-2.0
#include "src/tensor/addresses.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sinter::tensor {

std::pair<int64_t, int64_t> reach(const Dims& shape, const Dims& strides) {
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return {0, -1};
    const int64_t step = (shape[d] - 1) * strides[d];
    (step < 0 ? low : high) += step;
  }
  return {low, high};
}

bool repeats(const Dims& shape, const Dims& strides) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return false;
    if (shape[d] > 1) dims.emplace_back(std::abs(strides[d]), shape[d]);
  }
  std::ranges::sort(dims);
  int64_t span = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= span) return true;
    span += stride * (extent - 1);
  }
  return false;
}

}  // namespace sinter::tensor
