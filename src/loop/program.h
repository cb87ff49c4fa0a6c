// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/loop/body.h"
#include "src/loop/call.h"

namespace sinter::loop {

enum class BufferRole : uint8_t { input, output, temporary };

/// Memory seen by a program. Element address = offset + sum index[d] * strides[d], in elements of `dtype`.
struct Buffer {
  DType dtype;
  BufferRole role = BufferRole::input;
  int position = 0;  ///< index among inputs or outputs; temporaries: running number
  std::vector<Expr> shape;
  std::vector<Expr> strides;
  Expr offset;
  bool written = false;  ///< input: in-place ops store into it
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Axis {
  Expr extent;
  bool reduction = false;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Writes `value` (already rounded to the buffer's dtype) at `index` for every point of the nest. A value that does not
/// depend on reduction axes is stored once per parallel point.
///
/// With `fold` the value is folded into what the element holds: integers of 32 or 64 bits, whose sum, amax and amin are
/// the same in every order. Points may meet at an element; the index may be data.
struct Store {
  int buffer = -1;
  std::vector<Expr> index;
  ValueId value = -1;
  std::optional<ReduceKind> fold = {};
  friend bool operator==(const Store&, const Store&) = default;
};

/// One loop nest: axis i is Expr::axis(i). Reduction axes come last; their row-major order is the logical index j of
/// the canonical order. Reduce instructions map inner values (that depend on a reduction axis) to outer ones, and outer
/// values may be used by inner ones again (softmax is one nest with two reduces).
///
/// Scan instructions of a nest all go along one parallel axis, any of them; such a nest has no reduction axes.
struct Nest {
  std::vector<Axis> axes;
  Body body;
  std::vector<Store> stores;
};

/// One step of a program. Either it becomes a kernel: nests over disjoint boxes or outputs that do not depend on each
/// other; only a single nest has reduction axes. Or it is a call, and there are no nests.
struct Group {
  std::string name;
  std::vector<Nest> nests;
  std::optional<Call> call = {};
  std::vector<graph::NodeId> nodes;   ///< graph nodes computed here, for explain()
  std::vector<std::string> notes;     ///< decisions in words, for explain()
  std::vector<std::string> comments;  ///< the graph's ops with the user's source lines, for the kernel text
};

/// An output that is a view of an input, or of an earlier output: no kernel writes it.
struct Alias {
  int output = 0;
  int base = 0;            ///< input or output
  bool of_output = false;  ///< which of them
  Expr offset;             ///< elements, from the base's first element
  std::vector<Expr> strides;
};

/// Kernels and calls in execution order.
struct Program {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Group> groups;
  std::vector<Alias> aliases;       ///< outputs without a kernel
  std::vector<DType> number_types;  ///< by symbol: i64 or f64 as the user gave it; unused entries are boolean
  int symbol_count = 0;
  graph::Ranges ranges;               ///< of the symbols
  bool uses_status = false;           ///< some body has a checked index
  std::vector<std::string> messages;  ///< by message number of checked indices: op and line
};

/// Ranges of a nest's axes and of the symbols.
graph::Ranges nest_ranges(const Nest& nest, const graph::Ranges& symbols);

/// Text form; print(parse(print(p))) is print(p). Ranges of symbols are part of it.
std::string print(const Program& program);
/// Throws CompileError naming the line.
Program parse(std::string_view text);
/// Throws CompileError naming group, nest and instruction: order, types, buffers, ranks, axes, values under reductions.
void verify(const Program& program);

}  // namespace sinter::loop
