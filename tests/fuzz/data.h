// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"
#include "src/tensor/impl.h"

namespace sinter::fuzz {

/// One input: the tensor in memory as the graph's layout says, and its elements as the interpreter takes them.
struct Input {
  Tensor tensor;
  reference::Array dense;
};

/// Inputs of a graph under values of its symbols. Elements are drawn by address, so that layouts may overlap; around
/// them, and in the gaps of the layout, is memory with other bits that may be read without a fault.
std::vector<Input> make_inputs(const graph::Graph& graph, std::span<const int64_t> symbols, uint64_t seed,
                               int misaligned);

/// The tensor, or a copy with equal strides and surroundings on another device.
Tensor to_device(const Input& input, Device device);

}  // namespace sinter::fuzz
