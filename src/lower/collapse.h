// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/loop/program.h"

namespace sinter::lower {

/// offset + sum strides[a] * axis(a); offsets and strides hold symbols only.
struct AffineAddress {
  graph::Expr offset;
  std::vector<graph::Expr> strides;
};

/// Address of an element of a buffer, in elements; it may hold loaded indices and divisions.
graph::Expr linear_address(const loop::Buffer& buffer, const std::vector<graph::Expr>& index);
/// The same as an affine function of the axes, if it is one.
std::optional<AffineAddress> affine_in_axes(graph::Expr address, size_t axes);
std::optional<AffineAddress> affine_address(const loop::Buffer& buffer, const std::vector<graph::Expr>& index,
                                            size_t axes);

/// Merges neighbouring axes where every address is a function of their joint row-major index, and drops axes of extent
/// 1: an elementwise nest of any rank over contiguous tensors becomes one-dimensional. Reduction axes merge only among
/// themselves (their row-major index is the logical index of the canonical order). Loads and stores are rewritten to
/// one-dimensional buffers' addresses: afterwards their index has one entry, the linear address without the offset.
void collapse_axes(loop::Nest& nest, const loop::Program& program, const graph::Ranges& ranges);

}  // namespace sinter::lower
