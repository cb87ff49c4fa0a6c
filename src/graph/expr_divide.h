// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/graph/expr.h"

namespace sinter::graph {

/// e = multiple * n + rest.
struct Division {
  Expr multiple;
  Expr rest;
};

/// Polynomial division by the leading term of n, over the integers; the identity holds whatever the leaves are. For a
/// literal n > 0 the constant of the rest lies in [0, n). Where nothing divides, multiple is 0.
Division divide(Expr e, Expr n);

/// e / n if the division leaves no rest.
std::optional<Expr> exact_quotient(Expr e, Expr n);

/// a * b, unless the product of two literals overflows.
std::optional<Expr> checked_product(Expr a, Expr b);

}  // namespace sinter::graph
