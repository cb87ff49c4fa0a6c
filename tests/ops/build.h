// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>

#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/registry.h"

namespace sinter::test {

/// A graph of one op over inputs of the given types; its results are the outputs. Throws what the type rule throws.
graph::Graph one_op(const graph::OpDef& op, const std::vector<graph::ValueType>& operands,
                    const graph::Attributes& attributes);
graph::Graph one_op(std::string_view op, const std::vector<graph::ValueType>& operands,
                    const graph::CallAttributes& attributes = {});

graph::ValueType type(DType dtype, const Dims& shape);

/// The message of the UserError that the call throws; empty if it throws none.
std::string refusal(std::string_view op, const std::vector<graph::ValueType>& operands,
                    const graph::CallAttributes& attributes = {});

}  // namespace sinter::test
