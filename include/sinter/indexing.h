// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

// Reads at indices that are data. An index tensor is i32 or i64; indices are in [0, extent) (negative ones do not count
// from the end, as in PyTorch). One that is out of range throws UserError on the CPU; on a GPU it is reported at the
// next synchronisation, and memory outside the operand is never touched.

#pragma GCC visibility push(default)
namespace sinter {

/// The elements of dim `dim` at `index` (1-d, or 0-d for one), in its order.
Tensor index_select(Operand x, int64_t dim, Operand index);
/// Result at i, j, k for dim 1: x at i, index at (i, j, k), k. The index has the rank of x and no larger extents but in
/// `dim`; the result has its shape.
Tensor gather(Operand x, int64_t dim, Operand index);
/// Rows of a weight [classes, features] at an index of any shape, as a last dim.
Tensor embedding(Operand weight, Operand index);
/// gather of x and index broadcast to each other along all other dims; without a dim, of both flattened.
Tensor take_along_dim(Operand x, Operand index, std::optional<int64_t> dim = std::nullopt);
/// i64 [..., num_classes]: 1 at each class (i64, in [0, num_classes)), 0 elsewhere. UserError for num_classes below 1;
/// PyTorch's inference of it from the data is not offered.
Tensor one_hot(Operand classes, int64_t num_classes);

}  // namespace sinter
#pragma GCC visibility pop
