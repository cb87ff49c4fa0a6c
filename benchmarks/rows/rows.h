// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

namespace sinter::benchmarks {

struct Argument {
  DType dtype;
  Dims shape;
  Dims strides = {};  ///< in elements; none: row-major
};

/// A row of the comparison: arguments, and a compiled function of them.
struct Row {
  std::string name;
  std::vector<Argument> arguments;
  std::function<Tensor(const std::vector<Tensor>&)> call;
  std::function<Explanation(const std::vector<Tensor>&)> explain;
};

const std::vector<Row>& rows();

}  // namespace sinter::benchmarks
