// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/image.h>

#include <functional>

#include "src/loop/reader.h"

namespace sinter::ops {

using graph::Expr;

/// A pixel position along one axis, safe to read, and whether it stands for a pixel inside (no id: always).
struct Tap {
  Expr index;
  loop::Value inside = {};
};

/// Where one output coordinate reads along one axis. `nearest` uses `first` alone.
struct Taps {
  Tap first, second;
  loop::Value weight = {};  ///< f32 share of `second`, in [0, 1)
};

/// Taps of a resize from `source` to `target` pixels at output pixel `d`. The position is a fraction of integers: no
/// rounding decides which pixel is read.
Taps resize_taps(loop::Builder& b, Expr d, Expr source, Expr target, image::Filter filter, image::Border border);

/// Taps of a window [low, high) (f32) of an axis of `source` pixels, at output pixel `d` of `target`.
Taps window_taps(loop::Builder& b, Expr d, loop::Value low, loop::Value high, Expr source, Expr target,
                 image::Filter filter, image::Border border);

/// Reads operand 0 at (y, x), inserted into an index by `place`, and interpolates; the result is of the image's dtype.
loop::Value sample(loop::Reader& reader, const Taps& y, const Taps& x, image::Filter filter,
                   const graph::Scalar& border_value, const std::function<std::vector<Expr>(Expr y, Expr x)>& place);

}  // namespace sinter::ops
