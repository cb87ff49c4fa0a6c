// SPDX-License-Identifier: Apache-2.0
// Cumulative sums and products, of numbers and of exponentials.
#include <sinter/scans.h>

#include <limits>

#include "src/loop/builder.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/scan.h"
#include "src/ops/transcendental.h"
#include "src/reference/scan.h"

namespace sinter {

Tensor cumsum(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"cumsum">(), {&x}, graph::CallAttributes().integer(dim));
}
Tensor cumprod(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"cumprod">(), {&x}, graph::CallAttributes().integer(dim));
}
Tensor logcumsumexp(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"logcumsumexp">(), {&x}, graph::CallAttributes().integer(dim));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Node;
using graph::ScanKind;
using reference::Array;
using scalar::Constant;

std::vector<graph::ValueType> infer_cumulative(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  context.dim(context.attributes().integer(), x.rank());
  return {{x.dtype.is_floating() ? x.dtype : i64, x.shape}};
}

std::vector<graph::ValueType> infer_exponential(graph::InferContext& context) {
  require_floating(context, 0);
  return infer_cumulative(context);
}

std::vector<Array> scanned(const Node& node, const Array& x, const reference::Combine& combine) {
  return {reference::scan(x, x.shape.empty() ? 0 : scanned_dim(node, x), node.results[0].dtype, combine)};
}

template <scalar::ScalarOp op>
std::vector<Array> reference_of(const Node& node, std::span<const Array> operands) {
  return scanned(node, operands[0], [](const Constant& a, const Constant& b) {
    const Constant both[] = {a, b};
    return scalar::evaluate(op, both);
  });
}

Constant applied(loop::Value (*function)(loop::Builder&, loop::Value, DType), const Constant& x) {
  loop::Body body;
  loop::Builder b(body);
  const loop::Value v = function(b, body.constant(x), x.dtype);
  return {body[v.id].type, body[v.id].bits};
}

/// hi + log(1 + exp(lo - hi)).
Constant logaddexp(const Constant& a, const Constant& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto of = [](scalar::ScalarOp op, const Constant& x, const Constant& y) {
    const Constant both[] = {x, y};
    return scalar::evaluate(op, both);
  };
  const Constant hi = of(scalar::ScalarOp::max, a, b), lo = of(scalar::ScalarOp::min, a, b);
  if (scalar::as_double(hi) == infinity || scalar::as_double(lo) == -infinity) return hi;
  const Constant e = applied(exp_value, of(scalar::ScalarOp::sub, lo, hi));
  return of(scalar::ScalarOp::add, applied(log1p_value, e), hi);
}

std::vector<Array> reference_exponential(const Node& node, std::span<const Array> operands) {
  return scanned(node, operands[0], logaddexp);
}

}  // namespace

void register_cumulative() {
  register_scan_op({"cumsum", "Sums along a dim up to each element; integers and booleans give i64.", ScanKind::sum,
                    infer_cumulative, -4, 4, reference_of<scalar::ScalarOp::add>});
  register_scan_op({"cumprod", "Products along a dim up to each element; integers and booleans give i64.",
                    ScanKind::prod, infer_cumulative, -1.5, 1.5, reference_of<scalar::ScalarOp::mul>});
  register_scan_op({"logcumsumexp", "Logarithms of the sums of exponentials along a dim up to each element.",
                    ScanKind::logaddexp, infer_exponential, -20, 60, reference_exponential});
}

}  // namespace sinter::ops
