// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/draw.h"

namespace sinter::fuzz {

/// How an input lies in memory: most row-major, some permuted, with gaps, reversed, repeated along dims, at an offset.
graph::Layout draw_layout(Chooser& choose, const graph::ValueType& type);

}  // namespace sinter::fuzz
