// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"
#include "src/tensor/impl.h"
#include "tests/fuzz/nan_bits.h"

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

/// A copy with equal strides and surroundings on a device; on the CPU the tensor itself unless it is `written`.
Tensor to_device(const Input& input, Device device, bool written);

/// Empty if `tensor`, a copy of the input that a run has written to, holds these elements (any NaN equals any NaN, and
/// those that are `ignored` may be others),
/// `offset` elements after its first one, and the surroundings are what they were; else the difference in words.
std::string difference_in_place(const Input& input, const Tensor& tensor, int64_t offset,
                                const reference::Array& elements, const NanBits& ignored);

}  // namespace sinter::fuzz
