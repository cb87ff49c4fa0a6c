// SPDX-License-Identifier: Apache-2.0
#include <sinter/compile.h>

#include <memory>
#include <vector>

#include "src/capture/eager.h"
#include "src/capture/region_recorder.h"
#include "src/capture/scope_pool.h"

namespace sinter::capture {

Scope::Scope(Function& function) : function_(&function) {
  register_eager_recorder();
  if (active_recorder() != nullptr) {  // nested: the caller's region takes the ops
    function_ = nullptr;
    return;
  }
  function.counters.calls.fetch_add(1, std::memory_order_relaxed);
  activate(function);
}

void Scope::finish() {
  finished_ = true;
  if (function_ == nullptr) return;
  RegionRecorder* recorder = active_recorder();
  try {
    recorder->end_call("end of function", {});
  } catch (...) {
    deactivate();
    throw;
  }
  deactivate();
}

Scope::~Scope() {
  if (finished_ || function_ == nullptr) return;
  // The function threw: what escaped it still gets its data, then the exception goes on.
  RegionRecorder* recorder = active_recorder();
  try {
    recorder->end_call("exception", {});
  } catch (...) {
    recorder->abandon();
  }
  deactivate();
}

}  // namespace sinter::capture

namespace sinter {

void graph_break(SourceLine line) {
  capture::RegionRecorder* recorder = capture::active_recorder();
  if (recorder == nullptr) return;
  if (recorder->function().options.fullgraph)
    throw CompileError({"graph_break", "ends a region; fullgraph = true allows no graph break", line,
                        recorder->function().context(), "remove it, or fullgraph = false"});
  recorder->break_region(capture::demand_nothing, "graph_break", line);
}

}  // namespace sinter
