// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Order. Sorts are stable: equal elements keep their order, also descending. -0 equals 0; NaN is larger than every
// number, as in PyTorch. Every dtype is sorted; results are the same on every device. A negative dim counts from the
// end; one outside [-rank, rank) is a UserError.

#pragma GCC visibility push(default)
namespace sinter {

struct SortOptions {
  int64_t dim = -1;
  bool descending = false;
};
/// Positions (i64) along `dim` in their order, of the shape of x. A 0-d tensor has dims 0 and -1 by name and the one
/// position 0.
Tensor argsort(Operand x, SortOptions options = {});

struct Sorted {
  Tensor values;   ///< of the dtype of x
  Tensor indices;  ///< i64
};
/// The elements along `dim` in their order, and where they were; both of the shape of x, which may be 0-d.
Sorted sort(Operand x, SortOptions options = {});

struct TopkOptions {
  int64_t dim = -1;
  bool largest = true;  ///< else the smallest
};
/// The k largest elements along `dim`, largest first, and where they were; of equal ones the first. Both have the shape
/// of x with k in place of the dim. UserError for a 0-d tensor, and if k is negative or larger than the dim.
Sorted topk(Operand x, int64_t k, TopkOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
