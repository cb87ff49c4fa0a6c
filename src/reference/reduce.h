// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/graph/registry.h"
#include "src/reference/array.h"

namespace sinter::reference {

/// Folds values of one compute type in the canonical order: chunks of 1024; in a chunk 256 partials, partial p starts
/// as element p and takes p + 256, p + 512, p + 768; partials, then chunk results, combine pairwise, neighbours first.
/// What is absent is skipped. Nothing gives 0 for sum and 1 for prod, and throws UserError for amax and amin.
scalar::Constant fold(graph::ReduceKind kind, DType compute, std::span<const scalar::Constant> values);

/// Folds dims of an array. Elements are converted to the compute type of `result`; the reduced dims, ascending, are one
/// row-major index; the folded value is rounded to `result`.
Array reduce(const Array& x, const graph::ReductionSpec& spec, DType result);

}  // namespace sinter::reference
