// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/registry.h"
#include "src/reference/array.h"

// What ops that scan one dim of one operand share.

namespace sinter::ops {

struct Scan {
  std::string_view name, doc;
  graph::ScanKind kind;
  std::vector<graph::ValueType> (*infer)(graph::InferContext&);
  double low = -4, high = 4;  ///< samples
  std::vector<reference::Array> (*reference)(const graph::Node&, std::span<const reference::Array>);
};
void register_scan_op(const Scan& s);

/// The dim that a node scans, of an array that is not 0-d.
size_t scanned_dim(const graph::Node& node, const reference::Array& x);

}  // namespace sinter::ops
