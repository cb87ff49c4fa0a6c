// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::schedule {

/// The nest with its reduction axes replaced by one: their row-major index, the logical index j of the canonical order.
/// Indices become divisions of j where the axes could not be merged by stride.
loop::Nest with_joint_reduction_axis(const loop::Nest& nest, const graph::Ranges& symbols);

}  // namespace sinter::schedule
