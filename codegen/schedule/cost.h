// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "src/loop/program.h"

namespace sinter::schedule {

/// What a nest costs, by the model that schedules follow:
///
///   time = max(bytes / memory rate, instructions / issue rate)
///
/// Bytes are compulsory traffic: each access moves the elements that it can address, once; elements read again by
/// neighbours (broadcasts, pixels under a filter) come from caches. Instructions are those of one lane, times the
/// points of the axes that a value depends on: what is the same for a row is computed once a row. On an H200 the two
/// balance at about 28 lane-instructions for two bytes read and two written (29.6 T/s, of which 80 % can be had,
/// against 4.2 TB/s).
struct Cost {
  int64_t bytes = 0;
  int64_t instructions = 0;
};

/// Nothing if an extent is symbolic.
std::optional<Cost> cost_of(const loop::Program& program, const loop::Nest& nest);

/// Machine instructions of a lane for one scalar op, on sm_90.
int instruction_weight(scalar::ScalarOp op, DType type);
/// Of a vector on the CPU, where what CUDA approximates in hardware is a polynomial.
int instruction_weight_on_cpu(scalar::ScalarOp op, DType type);

}  // namespace sinter::schedule
