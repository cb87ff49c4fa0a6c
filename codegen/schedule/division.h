// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "codegen/schedule/value_range.h"
#include "codegen/tile/builder.h"

namespace sinter::schedule {

/// x / d with the bits of IEEE division, f32, for a divisor that many x share (d has a smaller shape, or is a scalar).
///
///   r = 1 / d        once per d, correctly rounded
///   q = x r          within 1.5 ulp of x / d
///   n = q d - x      exact
///   n (-r) + q       rounded once; -r, not -n: some compilers turn -(q d - x) into x - q d, which is another zero
///
/// The last line rounds a number that is within 1.5 d 2^-25 ulp of x / d (significands in [1, 2)); it can only be wrong
/// if x / d is that close to the middle of two floats. With integer significands X, D that middle is M / 2^k, M odd,
/// and |2^k X - M D| < 0.75 d^2 < 3: for each D a handful of X, all of which tests/schedule/division_test.cpp tries (as
/// for Brisebarre, Muller and Raina, IEEE Trans. Computers 53(8), 2004). Taking n with this sign keeps the sign of a
/// zero.
///
/// Needs 2^-60 <= d <= 2^60 and x = 0 or 2^-60 <= |x| <= 2^60, so that nothing over- or underflows; NaN stays NaN. What
/// `x_range` and `d_range` do not prove is checked, and lanes outside take the true division through `rare`. `assumed`
/// are the values of which `x_range` assumes what value_range.h says; they are checked once, not for each x.
tile_ir::Value divide_by_shared(tile_ir::KernelBuilder& b, tile_ir::Value x, tile_ir::Value d,
                                const ValueRange& x_range, const ValueRange& d_range,
                                std::span<const tile_ir::Value> assumed = {});

/// Is x inside the bounds above?
bool is_safe_dividend(const ValueRange& x);

}  // namespace sinter::schedule
