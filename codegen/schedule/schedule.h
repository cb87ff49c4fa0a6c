// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "codegen/schedule/scheduled.h"
#include "codegen/schedule/target.h"
#include "src/loop/program.h"

namespace sinter::schedule {

using Candidate = std::function<ScheduledKernel()>;

/// Candidate tile kernels for a group, which has a nest; best first by the written cost model (tiling.h). The driver
/// takes the first that meets the machine's limits; all give the same bits. A candidate is made when it is called,
/// while the arguments live.
std::vector<Candidate> schedule(const loop::Program& program, const loop::Group& group, const Target& target);

/// Does a nest fold fewer rows than there are processors, each of which one program goes through several times? Every
/// stage of its folds is better a kernel of its own then, split over the grid.
bool leaves_processors_idle(const loop::Program& program, const loop::Nest& nest, const Target& target);

}  // namespace sinter::schedule
