// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/passes/decompose.h"

namespace sinter::passes {

/// Gives the op that alone reads a product to the product: the row added to it (in dtypes whose sums the library rounds
/// as the op would: not f16 and bf16, where the product was rounded before), then relu (which commutes with rounding),
/// or gelu by tanh of f16 and bf16 (whose product is then not rounded before gelu; docs/semantics.md has the bound).
///
/// Precondition: decomposed, so that every product that a library computes is a gemm. `is_left_to_provider` says
/// whether the fused call still has a library; where it has none nothing changes. Stands after decomposition because
/// composites (linear) become products and activations there.
graph::Graph fuse_epilogues(const graph::Graph& graph, const CallFilter& is_left_to_provider);

}  // namespace sinter::passes
