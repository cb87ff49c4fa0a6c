// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::ops {

/// Does `to` hold every value of `from` exactly?
bool holds(DType to, DType from);

/// A value of storage dtype `from` as one of storage dtype `to`: integers wrap, floats to integers saturate at the
/// limits of `to` with NaN giving 0, to boolean means != 0, to f16 and bf16 rounds through f32 half to even.
loop::Value convert_value(loop::Builder& b, loop::Value v, DType from, DType to);

}  // namespace sinter::ops
