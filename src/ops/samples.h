// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>

#include <functional>
#include <optional>
#include <vector>

#include "src/graph/attributes.h"
#include "src/graph/registry.h"

namespace sinter::ops {

/// The type of a sampled operand; extents are literals.
graph::ValueType sample_type(DType dtype, const Dims& shape);

/// One sampled call. The attributes are those a recorded call of the public function would have.
graph::SampleCall sample_call(std::vector<graph::ValueType> operands, const graph::CallAttributes& attributes = {},
                              double low = -4, double high = 4);

/// OpDef::sample over a list that is built when asked for.
std::function<std::optional<graph::SampleCall>(int)> sample_list(
    std::function<std::vector<graph::SampleCall>()> make_list);

}  // namespace sinter::ops
