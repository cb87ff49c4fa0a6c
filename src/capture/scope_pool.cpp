// SPDX-License-Identifier: Apache-2.0
#include "src/capture/scope_pool.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/capture/explain_region.h"
#include "src/graph/recorder.h"
#include "src/graph/user_code.h"

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

constinit thread_local const Compiling* compiling = nullptr;

RegionRecorder* borrow() {
  thread_local Loan loan;
  (void)loan;
  return recorders().take();
}

/// What a thread was in the middle of.
struct Suspended {
  RegionRecorder* own;
  RegionRecorder* active;
  graph::Recorder* current;
  Explanation* listening;
};

void* suspend() {
  return new Suspended{std::exchange(own_recorder, nullptr), std::exchange(active, nullptr),
                       graph::exchange_recorder(nullptr), exchange_listening(nullptr)};
}

void resume(void* suspended) noexcept {
  const std::unique_ptr<Suspended> s(static_cast<Suspended*>(suspended));
  if (own_recorder != nullptr) recorders().give(own_recorder);
  own_recorder = s->own;
  active = s->active;
  graph::exchange_recorder(s->current);
  exchange_listening(s->listening);
}

}  // namespace

Compiling::Compiling(const Function& function) : function_(function), outer_(std::exchange(compiling, this)) {}
Compiling::~Compiling() { compiling = outer_; }

void Compiling::check(const Function& function) {
  for (const Compiling* c = compiling; c != nullptr; c = c->outer_)
    if (&c->function_ == &function)
      throw UserError({function.options.name,
                       "user code that compiles it (a backend, a shape rule) calls it",
                       {},
                       function.context(),
                       "call it when it is compiled"});
}

void install_user_code_hooks() { graph::user_code_hooks() = {suspend, resume}; }

RegionRecorder* active_recorder() { return active; }

RegionRecorder& activate(Function& function) {
  if (compiling != nullptr) Compiling::check(function);
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
