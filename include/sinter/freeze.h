// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#pragma GCC visibility push(default)
namespace sinter {

/// The same memory with a promise: nobody writes to it any more but through in-place ops of this library.
///
/// What a compiled function computes from frozen tensors alone is computed at its first call and kept with the compiled
/// entry: weights in another dtype or layout, and the weights and bias into which a batch norm after a convolution is
/// folded (w * scale and bias + (b - mean) * scale with scale = weight / sqrt(var + eps), rounded once to the dtype of
/// w; unfolded the scale is applied to the rounded result, so the last places differ). An in-place op on the memory
/// makes them be computed again. Give the frozen handle to the function, as argument or captured; the original handle
/// promises nothing. A pending tensor is computed first.
Tensor freeze(const Tensor& t, SourceLine line = SourceLine::current());

}  // namespace sinter
#pragma GCC visibility pop
