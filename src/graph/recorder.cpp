// SPDX-License-Identifier: Apache-2.0
#include "src/graph/recorder.h"

#include <atomic>
#include <utility>

namespace sinter::graph {
namespace {

std::atomic<Recorder*> default_recorder{nullptr};
thread_local Recorder* current = nullptr;

}  // namespace

Recorder& current_recorder() {
  if (current != nullptr) return *current;
  Recorder* r = default_recorder.load(std::memory_order_acquire);
  if (r == nullptr) throw CompileError("internal: no recorder is installed");
  return *r;
}

Recorder* exchange_recorder(Recorder* recorder) { return std::exchange(current, recorder); }
void set_default_recorder(Recorder* recorder) { default_recorder.store(recorder, std::memory_order_release); }

}  // namespace sinter::graph
