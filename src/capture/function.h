// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/compile.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "src/capture/frozen_calls.h"
#include "src/capture/trace.h"

namespace sinter::capture {

/// Shared state of a compiled function: the trie of its traces, and counters.
class Function {
 public:
  Function(CompileOptions o, SourceLine l) : options(std::move(o)), line(l) {}

  const CompileOptions options;
  const SourceLine line;  ///< where compile() was called
  TraceNode root;
  FrozenCalls frozen;  ///< Host::skip
  std::mutex grow;     ///< held while the trie or an entry list grows: one thread compiles, others wait

  struct Counters {
    std::atomic<int64_t> calls{0}, compilations{0}, disk_hits{0}, breaks{0}, launches{0}, warnings{0};
  } counters;

  void note_recompile(std::string text);
  /// A warning about this function; counted here as well.
  void warn(const std::string& text);
  void add(const CompileTimes& times);
  CompileTimes compile_times() const;
  std::vector<std::string> recompiles();

  /// A type rule knows the line of the op; which function was called is known here.
  UserError with_context(const UserError& e) const;
  std::string context() const;  ///< `tracing "pre" (compiled at pose.cpp:14)`

 private:
  mutable std::mutex notes_mutex_;
  CompileTimes compile_times_;
  std::vector<std::string> recompiles_;
};

}  // namespace sinter::capture
