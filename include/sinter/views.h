// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

// Ops that only move elements. None of them computes or copies when its result is read by another op: they are index
// arithmetic of the reader. A view that is itself a result shares its operand's memory where strides can express it, as
// in eager PyTorch. Negative dims count from the end. All throw UserError for dims and extents that do not fit.

#pragma GCC visibility push(default)
namespace sinter {

/// The same elements in row-major order with another shape; one extent may be -1 and follows from the others.
Tensor reshape(Operand x, const Dims& shape);
/// Dims start to end (inclusive) as one; a 0-d tensor gets shape [1].
Tensor flatten(Operand x, int64_t start = 0, int64_t end = -1);
/// Drops dims of extent 1: those listed (others stay), or all.
Tensor squeeze(Operand x, const Dims& dims = {});
/// Inserts a dim of extent 1 before dim `dim` of the result, in [-rank - 1, rank].
Tensor unsqueeze(Operand x, int64_t dim);

/// Result dim i is dim dims[i] of x.
Tensor permute(Operand x, const Dims& dims);
/// Exchanges two dims.
Tensor transpose(Operand x, int64_t a, int64_t b);
/// Reverses the order along dims.
Tensor flip(Operand x, const Dims& dims);
/// Repeats dims of extent 1 to `shape`, which may have further leading dims; -1 keeps an extent.
Tensor expand(Operand x, const Dims& shape);

/// Elements start, start + step, ... before stop along a dim; negative start and stop count from the end and both are
/// clamped, as in Python. step must be positive: flip() reverses.
Tensor slice(Operand x, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop = std::nullopt,
             int64_t step = 1);
/// One index of a dim, which disappears; in [-extent, extent).
Tensor select(Operand x, int64_t dim, int64_t index);

/// Joins tensors along a dim; the other extents agree. Dtypes promote. Tensors of shape [0] are skipped, as in PyTorch.
Tensor cat(std::vector<Tensor> tensors, int64_t dim = 0, SourceLine line = SourceLine::current());
/// Joins tensors of one shape along a new dim.
Tensor stack(std::vector<Tensor> tensors, int64_t dim = 0, SourceLine line = SourceLine::current());

/// Adds `pads` = {before, after} of the last dim, then of the one before it, ... elements of `value` (converted to the
/// dtype of x). A negative pad removes elements.
Tensor pad(Operand x, const Dims& pads, Operand value = 0);

}  // namespace sinter
#pragma GCC visibility pop
