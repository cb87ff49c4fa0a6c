// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/loop/program.h"

namespace sinter::loop {

/// Bit i: depends on axis i.
using AxisSet = uint64_t;

/// Axes that an index expression depends on, with those of the to_index values in it.
AxisSet axes_of(Expr e, const std::vector<AxisSet>& of_values);

/// For each instruction the axes that its value depends on. A reduce depends on no reduction axis.
std::vector<AxisSet> axis_dependence(const Nest& nest);

/// Reduction axes of a nest.
AxisSet reduction_axes(const Nest& nest);

/// The axis along which instructions of a nest scan; nothing if none does.
std::optional<size_t> scan_axis(const Nest& nest);

/// Instructions that stores, or checked indices, need (directly or not), by id.
std::vector<bool> live_instructions(const Nest& nest);

/// Instructions whose values are folded, or go into what is, by id: a reduce among them is folded with.
std::vector<bool> folded_instructions(const Body& body);

}  // namespace sinter::loop
