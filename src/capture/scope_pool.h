// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/capture/region_recorder.h"

namespace sinter::capture {

/// The recorder that receives this thread's op calls, or nullptr outside compiled functions.
RegionRecorder* active_recorder();
/// This thread's recorder, active or not; nullptr before its first use.
extern constinit thread_local RegionRecorder* own_recorder;
/// Makes this thread's reusable recorder receive op calls for `function`, until deactivate().
RegionRecorder& activate(Function& function);
void deactivate();

/// While it lives this thread compiles an entry of the function, whose lock it holds: user code that compiling calls (a
/// backend, a shape rule) must not call the function, and activate() refuses that.
class Compiling {
 public:
  explicit Compiling(const Function& function);
  ~Compiling();
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;

 private:
  friend RegionRecorder& activate(Function& function);
  static void check(const Function& function);
  const Function& function_;
  const Compiling* outer_;
};

/// Lets user code run in the middle of a region or of compiling one (graph::UserCode).
void install_user_code_hooks();

}  // namespace sinter::capture
