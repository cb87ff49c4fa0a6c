// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

/// The smallest case found for which `fails` still holds: fewer outputs, calls and operands; operands or inputs in
/// place of ops; smaller extents; literals in place of symbols; row-major, aligned inputs; f32. `fails` must hold for
/// `c`, and is asked about legal graphs only, at most `max_trials` times.
Case minimise(Case c, const std::function<bool(const Case&)>& fails, int max_trials = 2000);

}  // namespace sinter::fuzz
