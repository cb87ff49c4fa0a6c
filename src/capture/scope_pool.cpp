// SPDX-License-Identifier: Apache-2.0
#include "src/capture/scope_pool.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/graph/recorder.h"

namespace sinter::capture {

constinit thread_local RegionRecorder* own_recorder = nullptr;

namespace {

/// Recorders outlive their threads: another thread may be about to ask one about a handle that was pending a moment
/// ago. The next thread takes them over.
class Recorders {
 public:
  RegionRecorder* take() {
    std::scoped_lock lock(mutex_);
    if (idle_.empty()) return new RegionRecorder;
    RegionRecorder* last = idle_.back();
    idle_.pop_back();
    return last;
  }
  void give(RegionRecorder* recorder) {
    std::scoped_lock lock(mutex_);
    idle_.push_back(recorder);
  }

 private:
  std::mutex mutex_;
  std::vector<RegionRecorder*> idle_;
};

Recorders& recorders() {
  static auto* all = new Recorders;
  return *all;
}

constinit thread_local RegionRecorder* active = nullptr;

/// Gives this thread's recorder back when the thread ends.
struct Loan {
  ~Loan() {
    if (own_recorder != nullptr) recorders().give(std::exchange(own_recorder, nullptr));
  }
};

RegionRecorder* borrow() {
  thread_local Loan loan;
  (void)loan;
  return recorders().take();
}

}  // namespace

RegionRecorder* active_recorder() { return active; }

RegionRecorder& activate(Function& function) {
  if (own_recorder == nullptr) own_recorder = borrow();
  own_recorder->begin(function);
  active = own_recorder;
  graph::exchange_recorder(own_recorder);
  return *own_recorder;
}

void deactivate() {
  active = nullptr;
  graph::exchange_recorder(nullptr);
}

}  // namespace sinter::capture
