// SPDX-License-Identifier: Apache-2.0
// Largest and smallest elements so far, and where they are.
#include <sinter/scans.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/row_reference.h"
#include "src/ops/scan.h"

namespace sinter::ops {
namespace {

Extreme extremes(const graph::OpDef& values, const graph::OpDef& indices, std::string_view name, Operand& x,
                 int64_t dim) {
  require_tensor(x, name);
  Operand whole = borrowed(x);
  const auto attributes = graph::CallAttributes().integer(dim);
  Tensor v = dispatch(values, {&whole}, attributes);
  return {std::move(v), dispatch(indices, {&x}, attributes)};
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Extreme cummax(Operand x, int64_t dim) {
  return ops::extremes(ops::op<"cummax">(), ops::op<"cummax_indices">(), "cummax", x, dim);
}
Extreme cummin(Operand x, int64_t dim) {
  return ops::extremes(ops::op<"cummin">(), ops::op<"cummin_indices">(), "cummin", x, dim);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Node;
using graph::ScanKind;
using reference::Array;
using scalar::Constant;

std::vector<graph::ValueType> infer_values(graph::InferContext& context) {
  context.dim(context.attributes().integer(), context.operand(0).rank());
  return {context.operand(0)};
}

std::vector<graph::ValueType> infer_indices(graph::InferContext& context) {
  return {{i64, infer_values(context)[0].shape}};
}

bool is_nan(const Constant& c) {
  const Constant same[] = {c, c};
  return c.dtype.is_floating() && scalar::evaluate(scalar::ScalarOp::eq, same).bits == 0;
}

/// Does PyTorch take x for the extreme after `best`? NaN always, others where they are not worse and `best` is no NaN.
bool takes(const Constant& x, const Constant& best, bool largest) {
  if (is_nan(x) || is_nan(best)) return is_nan(x);
  const Constant order[] = {largest ? best : x, largest ? x : best};
  return scalar::evaluate(scalar::ScalarOp::le, order).bits != 0;
}

template <bool largest, bool indices>
std::vector<Array> reference_extremes(const Node& node, std::span<const Array> operands) {
  const Array& x = operands[0];
  Array result = Array::zeros(node.results[0].dtype, x.shape);
  const Dims dims = x.shape.empty() ? Dims{} : Dims{static_cast<int64_t>(scanned_dim(node, x))};
  for (const std::vector<int64_t>& row : rows_along(x.shape, dims)) {
    size_t best = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (takes(x.at(row[i]), x.at(row[best]), largest)) best = i;
      result.set(row[i], indices ? scalar::constant_int(i64, static_cast<int64_t>(best)) : x.at(row[best]));
    }
  }
  return {std::move(result)};
}

}  // namespace

void register_cumulative_extremes() {
  register_scan_op({"cummax", "The largest element along a dim up to each; NaN wins.", ScanKind::amax, infer_values, -4,
                    4, reference_extremes<true, false>});
  register_scan_op({"cummin", "The smallest element along a dim up to each; NaN wins.", ScanKind::amin, infer_values,
                    -4, 4, reference_extremes<false, false>});
  register_scan_op({"cummax_indices", "The last index of the largest element along a dim up to each; NaN wins.",
                    ScanKind::argmax, infer_indices, -2, 2, reference_extremes<true, true>});
  register_scan_op({"cummin_indices", "The last index of the smallest element along a dim up to each; NaN wins.",
                    ScanKind::argmin, infer_indices, -2, 2, reference_extremes<false, true>});
}

}  // namespace sinter::ops
