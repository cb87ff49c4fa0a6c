// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::ops {

// Loops over pixels in plain f32 arithmetic, independent of the lowerings.
std::vector<reference::Array> reference_resize(const graph::Node& node, std::span<const reference::Array> operands);
std::vector<reference::Array> reference_crop_resize(const graph::Node& node,
                                                    std::span<const reference::Array> operands);

}  // namespace sinter::ops
