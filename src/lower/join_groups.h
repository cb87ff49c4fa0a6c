// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::lower {

/// Horizontal groups: puts groups into one kernel that do not depend on each other and are small, whatever their
/// shapes. The kernel runs the programs of one nest after those of the other, so nothing is computed otherwise than
/// before.
///
/// The rule is that of a launch's cost: a group that moves at most small_group_bytes takes no longer than its launch
/// does, so a launch less is worth more than a kernel of its own. Sizes must be known, or bounded by their ranges. A
/// group goes to the place of an earlier one, so it must read nothing that is written, and write nothing that is read
/// or written, from there on. Buffers of one role and position are the same memory; what is written to an input that
/// others overlap may be in any of them. Folds, scans, calls and accumulating stores stay alone.
///
/// Runs last, on what becomes kernels.
void join_groups(loop::Program& program);

}  // namespace sinter::lower
