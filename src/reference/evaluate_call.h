// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/loop/evaluate.h"

namespace sinter::reference {

/// Computes a call of a loop program by its op's reference: a loop::CallEvaluator.
void evaluate_call(const loop::Call& call, std::span<const loop::CallMemory> operands,
                   std::span<const loop::CallMemory> results, std::span<const int64_t> symbols);

}  // namespace sinter::reference
