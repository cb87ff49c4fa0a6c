// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/graph/registry.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::loop {

/// Sizes of the canonical order of reductions; they hold for every length and type.
inline constexpr int64_t reduction_chunk = 1024;
inline constexpr int64_t reduction_partials = 256;

scalar::ScalarOp fold_op(graph::ReduceKind kind);
/// What an empty reduction gives: 0, 1, the lowest, the highest value.
scalar::Constant reduction_identity(graph::ReduceKind kind, DType type);
/// What may stand for an absent element without changing a bit: -0.0 for floating sums, else the identity.
scalar::Constant reduction_padding(graph::ReduceKind kind, DType type);

/// Folds the elements in the canonical order: chunks of 1024; in a chunk partial p = j mod 256 starts with its first
/// element and adds p + 256, p + 512, p + 768; partials, then chunks, combine in binary trees, lowest bit first.
scalar::Constant canonical_fold(graph::ReduceKind kind, DType type, std::span<const scalar::Constant> elements);

}  // namespace sinter::loop
