// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::fuzz {

/// Sign and payload of a NaN that an op computes are a device's own (semantics contract, point 3). A program sees them
/// where it reads floats as another dtype. By element: does it hang on them?
using NanBits = std::vector<bool>;

/// Of each output of the graph, found by interpreting it once more with other NaNs. `outputs`: what interpret() gave.
std::vector<NanBits> hanging_on_nan_bits(const graph::Graph& graph, std::span<const reference::Array> inputs,
                                         std::span<const int64_t> symbols, std::span<const reference::Array> outputs);

/// test::difference() of all other elements. An empty list: of all.
std::string difference(const reference::Array& expected, const reference::Array& got, const NanBits& ignored);

}  // namespace sinter::fuzz
