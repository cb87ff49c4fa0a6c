// SPDX-License-Identifier: Apache-2.0
#include "src/ops/row_reference.h"

#include <algorithm>

#include "src/ops/move_elements.h"

namespace sinter::ops {

reference::Array converted(const reference::Array& x, DType dtype) {
  reference::Array out = reference::Array::zeros(dtype, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) out.set(i, convert_element(x.at(i), x.dtype, dtype));
  return out;
}

std::vector<std::vector<int64_t>> rows_along(const Dims& shape, const Dims& dims) {
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::ranges::find(dims, static_cast<int64_t>(d)) == dims.end()) count *= shape[d];
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(count));
  int64_t position = 0;
  reference::for_each_index(shape, [&](const Dims& index) {
    int64_t row = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      if (std::ranges::find(dims, static_cast<int64_t>(d)) == dims.end()) row = row * shape[d] + index[d];
    rows[static_cast<size_t>(row)].push_back(position++);
  });
  return rows;
}

Dims result_shape(const graph::Node& node) { return literal_extents(node.results[0].shape); }

}  // namespace sinter::ops
