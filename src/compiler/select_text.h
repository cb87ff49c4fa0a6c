// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <cstdint>
#include <string>

namespace sinter::compiler {

/// The kernel on CUDA that finds the positions of a row's first elements in their order without sorting the row. A
/// block has a row, a piece of one, or elements of a row at positions that are given. Digits of the keys, most
/// significant first, are counted until the elements that may be among the first ones fit into shared memory; where too
/// many are equal, the digits of their places are counted as well, since of equal elements the first are taken. Those
/// are sorted.
struct SelectText {
  DType dtype;
  bool descending = false;
  int threads = 256;  ///< a power of two

  std::string entry() const;
  std::string text() const;
};

/// The most elements that are selected.
inline constexpr int64_t most_selected = 1024;

}  // namespace sinter::compiler
