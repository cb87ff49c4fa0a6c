// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/graph/graph.h"

namespace sinter::fuzz {

/// What a value is a view of, whether or not strides can express that: an input, what is written to one, or any other
/// node that is no view.
graph::NodeId memory_of(const graph::Graph& graph, graph::Value v);

/// Is the output in an input's memory, or might it be?
bool may_share_input(const graph::Graph& graph, graph::Value output);

/// May the value leave the graph? A view of an input that is written would show what is written there, which is not the
/// value's: recorded programs have views of that instead.
bool may_leave(const graph::Graph& graph, graph::Value v);

/// Are no two elements at one address? Only such inputs are written.
bool is_distinct(const graph::ValueType& type, const graph::Layout& layout, std::span<const int64_t> symbols);

}  // namespace sinter::fuzz
