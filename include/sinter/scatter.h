// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

// Writes at indices that are data. Every function returns a new tensor: x with elements replaced or added. An index is
// i32 or i64; indices are in [0, extent), but index_put() also counts negative ones from the end, as in PyTorch. One
// that is out of range throws UserError on the CPU; on a GPU it is reported at the next synchronisation, and memory
// outside of the result is never touched.
//
// Results do not depend on the device or on threads. Where a place is written several times, the last source element in
// row-major order stays. Sums of integers wrap; of booleans one true is enough. Floating elements are added one after
// the other, x first, then the sources in row-major order (f16 and bf16 in f32, rounded at the end).

#pragma GCC visibility push(default)
namespace sinter {

/// x with the element at (i, index at (i, j, k), k), for dim 1, replaced by src at (i, j, k), for every element of the
/// index. All three have one rank; the index has no larger extents than src, nor than x but in `dim`. A number as src
/// stands for all elements.
Tensor scatter(Operand x, int64_t dim, Operand index, Operand src);
/// The same places are added the elements of src.
Tensor scatter_add(Operand x, int64_t dim, Operand index, Operand src);

/// x with slice index[i] of `dim` replaced by slice i of the source. The index has one dim or none (one slice); the
/// source has the shape of x with that many slices.
Tensor index_copy(Operand x, int64_t dim, Operand index, Operand source);
/// x with slice i of the source added to slice index[i] of `dim`.
Tensor index_add(Operand x, int64_t dim, Operand index, Operand source);
/// x with the slices of `dim` at an index all `value`, a number or a 0-d tensor.
Tensor index_fill(Operand x, int64_t dim, Operand index, Operand value);

struct IndexPutOptions {
  bool accumulate = false;  ///< add, instead of replace
};
/// x[indices...] = values: the indices, broadcast to each other, are places in the first dims of x. Values broadcast to
/// the shape of the indices followed by the other dims; a number stands for all of them.
Tensor index_put(Operand x, std::vector<Tensor> indices, Operand values, IndexPutOptions options = {});

struct BincountOptions {
  int64_t minlength = 0;                         ///< bins at least
  std::optional<int64_t> length = std::nullopt;  ///< bins; values past them are out of range
  std::optional<Tensor> weights = std::nullopt;  ///< what an element counts, in place of 1; the shape of x
};
/// How often 0, 1, 2, ... occur among integers of one dim (but u64), as i64; with weights (f32, else they count as f64)
/// their sums, added in order. Without `length` there are as many bins as
/// the largest value needs, which is read from the data: a compiled function is broken there.
Tensor bincount(Operand x, BincountOptions options = {});

struct HistcOptions {
  int64_t bins = 100;
  double min = 0, max = 0;  ///< equal: the smallest and the largest element
};
/// How many elements (f32, f64) lie in each of equal bins from min to max, both included, in the dtype of x. Elements
/// outside, and NaN, are not counted.
Tensor histc(Operand x, HistcOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
