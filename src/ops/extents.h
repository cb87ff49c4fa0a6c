// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "src/graph/expr.h"
#include "src/graph/graph.h"

namespace sinter::ops {

using graph::Expr;

/// Product of extents; 1 if there are none.
Expr element_count(std::span<const Expr> shape);

/// product(factors) / product(divisors) with equal factors cancelled and constants divided; nullopt if literals do not
/// divide. Where symbols remain in the divisor the quotient is a floordiv, which the caller must assume to be exact.
std::optional<Expr> quotient(std::span<const Expr> factors, std::span<const Expr> divisors);

/// An offset or a shift as an extent attribute can hold it: beyond every extent all are alike.
inline int64_t bounded_offset(int64_t offset) { return std::clamp(offset, -graph::max_extent, graph::max_extent); }

/// Simplified, given that the symbols of extents are at least 2.
Expr simplify_extent(Expr extent);

/// Where the element at `index` of a tensor of shape `to` stands in the tensor of shape `from` that it is a reshape of.
/// Runs of dims with equal products map to each other, so that untouched dims keep their index.
std::vector<Expr> reshape_index(std::span<const Expr> from, std::span<const Expr> to, std::span<const Expr> index);

}  // namespace sinter::ops
