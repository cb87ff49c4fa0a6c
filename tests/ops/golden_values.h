// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/attributes.h"
#include "src/reference/array.h"

namespace sinter::golden {

/// Elements from hexadecimal words, beginning with word `first`.
reference::Array array_of(DType dtype, const Dims& shape, const std::vector<std::string>& words, size_t first);

uint64_t storage_bits(const reference::Array& a, int64_t i);

/// The call's result by the reference, or nothing if it is refused.
std::optional<reference::Array> run(std::string_view op, const std::vector<reference::Array>& operands,
                                    const graph::CallAttributes& attributes);

struct Tolerance {
  int64_t ulps = 0;
  bool zeros_alike = false;
  double absolute = 0;  ///< also good enough; for functions that cancel
};

/// Compares with `words` from `first` on: a dtype and elements ('?' fits everything), or '-' for a refusal, or '?'.
void compare(const std::optional<reference::Array>& got, const std::vector<std::string>& words, size_t first,
             Tolerance tolerance);

/// A number as Python prints it: True, 2, 2.75, inf.
graph::Number number_of(const std::string& text);

}  // namespace sinter::golden
