// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "src/graph/recorder.h"

namespace sinter::ops {

/// What may become the contents of a tensor.
enum class AssignMode : uint8_t {
  copy,      ///< anything, broadcast and converted
  computed,  ///< the result of an in-place op: as copy, but a floating one does not become an integer
  exact,     ///< a tensor of the same type
};

/// `value` becomes the contents of `destination`.
void write(Operand& destination, Operand& value, AssignMode mode);

/// x becomes what `f` computes from it, in one region if ops run at once.
template <class F>
Tensor in_place(const char* name, Operand& x, const F& f) {
  graph::Together together(name, x.line());
  {
    Operand value(f(), x.line().file, x.line().line);
    Operand destination(x.tensor(), x.line().file, x.line().line);
    write(destination, value, AssignMode::computed);
  }
  together.finish();
  return x.tensor();
}

}  // namespace sinter::ops
