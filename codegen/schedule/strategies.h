// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/schedule/schedule.h"
#include "codegen/schedule/scheduled.h"
#include "codegen/schedule/tiling.h"

namespace sinter::schedule {

/// Nests without reduction axes, over disjoint boxes, as one kernel: its programs are those of the first nest, then
/// those of the next. `tilings` has one for each.
ScheduledKernel schedule_pointwise(const loop::Program& program, std::span<const loop::Nest> nests,
                                   const std::string& name, const std::vector<std::string>& comments,
                                   const Target& target, std::span<const Tiling> tilings);

/// A nest that adds its elements to few places, on CUDA: as many programs as run together each go through tiles and
/// have a table of the places' sums. Nothing for other nests, and where the tables would take more time than they save.
std::optional<Candidate> counting_in_tables(const loop::Program& program, const loop::Nest& nest,
                                            const std::string& name, const std::vector<std::string>& comments,
                                            const Target& target);

/// Nests with one reduction: a program owns one output, or a strip of neighbouring ones where the reduced axis is not
/// the contiguous one, and folds its elements in the canonical order: chunks of 1024, whose results meet in a binary
/// counter.
ScheduledKernel schedule_reduction(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                   const std::vector<std::string>& comments, const Target& target);

/// The same for rows that several passes need and registers cannot hold: they are read from memory once, and kept in
/// the programs' memory (fold_plan.h). Nothing where that is not so, or the target has not enough of it. The candidate
/// refers to the arguments.
std::optional<Candidate> resident_reduction(const loop::Program& program, const loop::Nest& nest,
                                            const std::string& name, const std::vector<std::string>& comments,
                                            const Target& target);

/// Nests with scans: a program goes along a row, or a strip of neighbouring columns, in tiles (scan_plan.h), of which a
/// CUDA thread has about `most` elements.
ScheduledKernel schedule_scan(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                              const std::vector<std::string>& comments, const Target& target, int32_t most);

}  // namespace sinter::schedule
