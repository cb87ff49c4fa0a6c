// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/graph/attributes.h"
#include "src/graph/expr.h"
#include "src/graph/graph.h"

namespace sinter::loop {

/// A tensor of a call, in the memory of a buffer: element address = offset + sum index[d] * strides[d], from the
/// buffer's first element.
struct CallTensor {
  int buffer = -1;
  std::vector<graph::Expr> shape;
  std::vector<graph::Expr> strides;
  graph::Expr offset;
  friend bool operator==(const CallTensor&, const CallTensor&) = default;
};

/// A step that no kernel is generated for: a library or a user's function computes the results (graph::CallRule).
struct Call {
  const graph::OpDef* op = nullptr;
  std::string provider;  ///< who computes it; empty until it is chosen
  graph::Attributes attributes;
  std::vector<CallTensor> operands;
  std::vector<CallTensor> results;  ///< dense, row-major
};

}  // namespace sinter::loop
