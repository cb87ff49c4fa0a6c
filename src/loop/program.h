// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/loop/body.h"

namespace sinter::loop {

enum class BufferRole : uint8_t { input, output, temporary };

/// Memory seen by a program. Element address = offset + sum index[d] * strides[d], in elements of `dtype`.
struct Buffer {
  DType dtype;
  BufferRole role = BufferRole::input;
  int position = 0;              ///< index among inputs or outputs; temporaries: running number
  std::vector<Expr> shape;
  std::vector<Expr> strides;
  Expr offset;
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Axis {
  Expr extent;
  bool reduction = false;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Writes `value` (already rounded to the buffer's dtype) at `index` for every point of the nest. A value that does not
/// depend on reduction axes is stored once per parallel point.
struct Store {
  int buffer = -1;
  std::vector<Expr> index;
  ValueId value = -1;
  friend bool operator==(const Store&, const Store&) = default;
};

/// One loop nest: axis i is Expr::axis(i). Reduction axes come last; their row-major order is the logical index j of the
/// canonical order. Reduce instructions map inner values (that depend on a reduction axis) to outer ones, and outer
/// values may be used by inner ones again (softmax is one nest with two reduces).
struct Nest {
  std::vector<Axis> axes;
  Body body;
  std::vector<Store> stores;
};

/// What becomes one kernel: nests over disjoint boxes or outputs that do not depend on each other.
struct Group {
  std::string name;
  std::vector<Nest> nests;
  std::vector<graph::NodeId> nodes;   ///< graph nodes computed here, for explain()
  std::vector<std::string> notes;     ///< decisions in words, for explain()
};

/// Groups in execution order.
struct Program {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Group> groups;
  std::vector<DType> number_types;    ///< unused entries are boolean
  int symbol_count = 0;
  bool uses_status = false;           ///< some body has a checked index
};

std::string print(const Program& program);
Program parse(std::string_view text);
void verify(const Program& program);

}  // namespace sinter::loop
