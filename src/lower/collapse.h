// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::lower {

/// Makes every access one-dimensional and merges axes.
///
/// Buffers become flat (shape [elements], strides [1]) and an index the one linear element address. Neighbouring axes
/// merge where every address and index value is a function of their joint row-major index, so that an elementwise nest
/// of any rank over contiguous tensors becomes one-dimensional; axes of extent 1 vanish. Reduction axes merge only
/// among themselves: their row-major index stays the logical index of the canonical order. Extents may be symbolic.
void collapse(loop::Program& program);

}  // namespace sinter::lower
