// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/graph/registry.h"
#include "src/scalar/fold.h"

namespace sinter::loop {

/// Sizes of the canonical order of reductions; they hold for every length and type.
inline constexpr int64_t reduction_chunk = 1024;
inline constexpr int64_t reduction_partials = 256;

using scalar::fold_op;
using scalar::reduction_identity;
using scalar::reduction_padding;

/// Folds the elements in the canonical order: chunks of 1024; in a chunk partial p = j mod 256 starts with its first
/// element and adds p + 256, p + 512, p + 768; partials, then chunks, combine in binary trees, lowest bit first.
scalar::Constant canonical_fold(graph::ReduceKind kind, DType type, std::span<const scalar::Constant> elements);

}  // namespace sinter::loop
