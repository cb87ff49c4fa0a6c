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
};

/// The recorder of this thread; the process-wide default one runs ops at once.
Recorder& current_recorder();
/// Installs a recorder on this thread and returns the previous one (nullptr: the default).
Recorder* exchange_recorder(Recorder* recorder);
/// Set once by the capture layer.
void set_default_recorder(Recorder* recorder);

}  // namespace sinter::graph
