// SPDX-License-Identifier: Apache-2.0
#include "src/capture/scope_pool.h"

#include "src/graph/recorder.h"

namespace sinter::capture {
namespace {

struct ThreadState {
  RegionRecorder recorder;
  bool active = false;
};

ThreadState& state() {
  thread_local ThreadState s;
  return s;
}

}  // namespace

RegionRecorder* active_recorder() {
  ThreadState& s = state();
  return s.active ? &s.recorder : nullptr;
}

RegionRecorder& activate(Function& function) {
  ThreadState& s = state();
  s.recorder.begin(function);
  s.active = true;
  graph::exchange_recorder(&s.recorder);
  return s.recorder;
}

void deactivate() {
  state().active = false;
  graph::exchange_recorder(nullptr);
}

}  // namespace sinter::capture
