// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::lower {

/// Splits nests into nests over disjoint boxes where the masks of their loads change: cat becomes a copy of each
/// operand, pad one without masks beside boxes that store the fill, with whatever is fused before and after.
///
/// Axis by axis, from the first: masks that compare an axis with an expression over symbols are decided on either side
/// of that point. Points may be symbolic, as long as their order is provable; a box may then be empty at run time.
/// Other masks (a diagonal, a gathered index) stay. Nests with reduction axes stay whole, and so does an axis whose
/// boxes would be too many or too narrow (limits.h), or margins of unknown width along an inner dim. A group of many
/// boxes becomes several.
///
/// Runs before collapse(), on accesses by the dims of their buffers.
void split_boxes(loop::Program& program);

}  // namespace sinter::lower
