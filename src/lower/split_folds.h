// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::lower {

/// Splits long folds of few results, so that about `programs` programs have work: a first kernel folds runs of a power
/// of two of chunks each, a second one the results of the runs. Runs are subtrees of the canonical order, and up to 256
/// of them fold as the binary tree above; so no bit changes.
///
/// Runs after collapse(). Splits nests with one reduction axis of literal extent whose folds need no other fold and
/// whose stores do not go along the axis.
void split_folds(loop::Program& program, int64_t programs);

}  // namespace sinter::lower
