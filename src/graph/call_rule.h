// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace sinter::graph {

/// The memory that an operand of a call lies in already: what a call rule judges.
class OperandLayout {
 public:
  OperandLayout(const ValueType& type, std::span<const Expr> strides, const Ranges& ranges)
      : type_(type), strides_(strides), ranges_(ranges) {}
  const ValueType& type() const { return type_; }
  /// In elements, one a dim; those of dims of extent 1 mean nothing.
  std::span<const Expr> strides() const { return strides_; }

  /// Is a >= b? What symbols leave open is assumed to hold, and becomes a guard of the compiled entry.
  bool at_least(Expr a, Expr b);
  const std::vector<std::pair<Expr, Expr>>& assumptions() const { return assumptions_; }

 private:
  const ValueType& type_;
  std::span<const Expr> strides_;
  const Ranges& ranges_;
  std::vector<std::pair<Expr, Expr>> assumptions_;
};

/// Makes an op a call: opaque to fusion, run by a provider (runtime/exec/library) that is found by the op's name. Its
/// operands have memory, its result is dense and row-major (another order is a permute in the graph), its attributes
/// are handed over as they are.
///
/// A call op that also has `decompose` is taken apart where no provider supports the call, so that generated kernels
/// compute it; without one it needs a provider.
struct CallRule {
  /// May operand `operand` be read where it lies, with these strides? What is refused is copied to dense row-major
  /// memory by a generated kernel first. Absent: every layout.
  std::function<bool(const Node& node, size_t operand, OperandLayout& layout)> reads;
};

/// Dense and row-major.
bool reads_dense(OperandLayout& layout);
/// Matrices in the last two dims, each row-major or column-major with a leading dimension of at least a row; every dim
/// before them has any stride.
bool reads_matrices(OperandLayout& layout);

}  // namespace sinter::graph
