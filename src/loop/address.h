// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "src/loop/program.h"

namespace sinter::loop {

/// The element address offset + sum index[d] * strides[d] of an access, simplified: reshapes that were read through
/// cancel ((i floordiv n) * n + i mod n is i again).
Expr linear_address(const Buffer& buffer, std::span<const Expr> index, const graph::Ranges& ranges);

/// Row-major contiguous strides of a shape.
std::vector<Expr> row_major_strides(std::span<const Expr> shape);

/// address = base + sum coefficient[i] * axis i, if no other term depends on an axis; base and coefficients depend on
/// symbols only.
struct AffineAddress {
  Expr base;
  std::vector<Expr> coefficients;
};
std::optional<AffineAddress> as_affine(Expr address, size_t axis_count);

}  // namespace sinter::loop
