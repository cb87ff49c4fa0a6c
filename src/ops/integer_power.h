// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::ops {

/// x^n of integers of storage dtype `dtype`, by repeated squaring; wraps. A negative n gives 0, but for the bases 1 and
/// -1. x and n are of the compute type; upper bits of a narrow result are left for the caller to wrap.
loop::Value integer_power(loop::Builder& b, loop::Value x, loop::Value n, DType dtype);

}  // namespace sinter::ops
