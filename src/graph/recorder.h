// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <span>

#include "src/graph/attributes.h"

namespace sinter::graph {

struct OpDef;

/// One call of an op by the user, as the recorder sees it. Operands are borrowed; rvalue operands are released by the
/// public function after the call.
struct Call {
  const OpDef* op;
  std::span<const Tensor* const> operands;
  const CallAttributes* attributes;
  SourceLine line;
};

/// Where op calls go: the eager executor (default), a trace that is recorded, or one that is matched.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual Tensor call(const Call& call) = 0;
  /// Records the assign op and makes its result the contents of operand 0, whatever memory that is or is a view of.
  virtual void write(const Call& /*call*/) { throw CompileError("internal: this recorder takes no in-place ops"); }
  /// Calls between these belong together: what runs ops at once runs them as one region. close(false): they failed.
  virtual void open(const char* /*name*/) {}
  virtual void close(bool /*succeeded*/, SourceLine /*line*/) {}
};

/// The recorder of this thread; the process-wide default one runs ops at once.
Recorder& current_recorder();
/// Calls of one op of the user that belong together, while it lives; they count when it is finished.
class Together {
 public:
  Together(const char* name, SourceLine line) : recorder_(current_recorder()), line_(line) { recorder_.open(name); }
  ~Together() {
    if (!finished_) recorder_.close(false, line_);
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  void finish() {
    finished_ = true;
    recorder_.close(true, line_);
  }

 private:
  Recorder& recorder_;
  SourceLine line_;
  bool finished_ = false;
};

/// Installs a recorder on this thread and returns the previous one (nullptr: the default).
Recorder* exchange_recorder(Recorder* recorder);
/// Set once by the capture layer.
void set_default_recorder(Recorder* recorder);

}  // namespace sinter::graph
