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
/// One dim as several; one of the sizes may be -1 and follows from the others.
Tensor unflatten(Operand x, int64_t dim, const Dims& sizes);
/// Drops dims of extent 1: those listed (others stay), or all.
Tensor squeeze(Operand x, const Dims& dims = {});
/// Inserts a dim of extent 1 before dim `dim` of the result, in [-rank - 1, rank].
Tensor unsqueeze(Operand x, int64_t dim);

/// Result dim i is dim dims[i] of x.
Tensor permute(Operand x, const Dims& dims);
/// Exchanges two dims.
Tensor transpose(Operand x, int64_t a, int64_t b);
Tensor swapaxes(Operand x, int64_t a, int64_t b);
/// Dim source[i] becomes dim destination[i] of the result; the other dims keep their order.
Tensor movedim(Operand x, const Dims& source, const Dims& destination);
/// Reverses the order along dims.
Tensor flip(Operand x, const Dims& dims);
/// Repeats dims of extent 1 to `shape`, which may have further leading dims; -1 keeps an extent.
Tensor expand(Operand x, const Dims& shape);
/// The same under its other name.
Tensor broadcast_to(Operand x, const Dims& shape);

/// Elements start, start + step, ... before stop along a dim; negative start and stop count from the end and both are
/// clamped, as in Python. step must be positive: flip() reverses.
Tensor slice(Operand x, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop = std::nullopt,
             int64_t step = 1);
/// One index of a dim, which disappears; in [-extent, extent).
Tensor select(Operand x, int64_t dim, int64_t index);
/// Elements start to start + length of a dim; all of them must be there. A negative start counts from the end.
Tensor narrow(Operand x, int64_t dim, int64_t start, int64_t length);
/// Elements (i, i + offset) of two dims, which disappear, as a new last dim; a negative offset goes down the rows.
Tensor diagonal(Operand x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
/// Windows of `size` elements of a dim, `step` (structural, 1 or more) apart, as a new last dim; incomplete ones are
/// left out. A 0-d tensor counts as one of shape [1].
Tensor unfold(Operand x, int64_t dim, int64_t size, int64_t step);

// Parts along a dim, as views. How many there are is read from the shape at the call.

/// Parts of `size` elements, the last one with what is left; an empty dim is one empty part.
std::vector<Tensor> split(Operand x, int64_t size, int64_t dim = 0);
/// Parts of the given sizes, which add up to the extent.
std::vector<Tensor> split_with_sizes(Operand x, const std::vector<int64_t>& sizes, int64_t dim = 0);
/// At most `chunks` parts of equal size, the last one possibly smaller, as in PyTorch: 5 elements in 4 chunks are 2 + 2
/// + 1. An empty dim gives `chunks` empty parts.
std::vector<Tensor> chunk(Operand x, int64_t chunks, int64_t dim = 0);
/// Each index of a dim, which disappears.
std::vector<Tensor> unbind(Operand x, int64_t dim = 0);

/// The bytes of the elements as elements of another dtype (lowest first). Where sizes differ, the last dim grows or
/// shrinks with them: UserError for a 0-d tensor and for an extent that is no multiple. The result shares the memory,
/// and what is written to one is in the other, where PyTorch allows the view: elements of another size must lie side by
/// side in the last dim, and larger ones begin at multiples of their size (UserError if only the address of the first
/// one does not). Other layouts, which PyTorch refuses, are copied, and so are booleans: any byte but zero is true.
/// The payload of a NaN in f16 is kept in shared memory, not where a copy is computed.
Tensor view(Operand x, DType dtype);

// Copies of elements of x: unlike views, results never share its memory.

/// The whole tensor repeats[i] times along each dim; one number for every dim, further leading ones make new dims.
Tensor repeat(Operand x, const Dims& repeats);
/// The same, but fewer numbers leave leading dims as they are.
Tensor tile(Operand x, const Dims& repeats);
/// Each element of a dim `repeats` times in a row; without a dim, of the flattened tensor.
Tensor repeat_interleave(Operand x, int64_t repeats, std::optional<int64_t> dim = std::nullopt);
/// Moves elements shifts[i] places along dims[i] (any integers; a dim may be named twice); what leaves at one end
/// enters at the other. Without dims the one shift is along the elements in row-major order.
Tensor roll(Operand x, const Dims& shifts, const Dims& dims = {});
/// Matrices (the last two dims) with zeros above, or below, a diagonal; a positive one is above the main diagonal.
Tensor tril(Operand x, int64_t diagonal = 0);
Tensor triu(Operand x, int64_t diagonal = 0);

/// Joins tensors along a dim; the other extents agree. Dtypes promote. Tensors of shape [0] are skipped, as in PyTorch.
Tensor cat(std::vector<Tensor> tensors, int64_t dim = 0, SourceLine line = SourceLine::current());
/// Joins tensors of one shape along a new dim.
Tensor stack(std::vector<Tensor> tensors, int64_t dim = 0, SourceLine line = SourceLine::current());

/// Adds `pads` = {before, after} of the last dim, then of the one before it, ... elements of `value` (converted to the
/// dtype of x). A negative pad removes elements.
Tensor pad(Operand x, const Dims& pads, Operand value = 0);

/// What pad() puts beside the elements a b c d of a dim.
enum class PadMode : uint8_t {
  constant,   ///< 0 0 | a b c d | 0 0
  reflect,    ///< c b | a b c d | c b   pads are smaller than the extent
  replicate,  ///< a a | a b c d | d d
  circular,   ///< c d | a b c d | a b   pads are at most the extent that negative pads leave
};
/// The same with elements of x. As in PyTorch all modes but constant pad the last one, two or three dims of a tensor of
/// one dim more ([C,...]) or two ([N,C,...]); results, and with reflect and replicate all dims but N, are not empty.
Tensor pad(Operand x, const Dims& pads, PadMode mode);

}  // namespace sinter
#pragma GCC visibility pop
