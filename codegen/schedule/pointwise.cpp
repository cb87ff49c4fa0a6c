// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/strategies.h"

#include "codegen/schedule/nest_emitter.h"

namespace sinter::schedule {

ScheduledKernel schedule_pointwise(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                   const std::vector<std::string>& comments, const Target& target,
                                   const Tiling& tiling) {
  NestEmitter e(program, nest, tiling, target, name);
  const graph::Expr grid = e.decode_program_id();
  for (const loop::Store& s : nest.stores) e.store(s);
  return e.finish(grid, comments, tiling.num_warps);
}

}  // namespace sinter::schedule
