// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/body.h"

namespace sinter::loop {

/// Does storage dtype `to` hold every value of storage dtype `from` exactly?
bool holds_exactly(DType to, DType from);

/// Is the value provably an element of storage dtype `storage`, so that rounding to it changes nothing? Follows loads,
/// roundings, conversions and the ops that only choose between or negate their operands.
bool is_representable(const Body& body, ValueId value, DType storage);

}  // namespace sinter::loop
