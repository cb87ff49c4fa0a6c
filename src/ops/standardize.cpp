// SPDX-License-Identifier: Apache-2.0
#include "src/ops/standardize.h"

#include "src/ops/row_reference.h"
#include "src/ops/transcendental.h"
#include "src/reference/elementwise.h"

namespace sinter::ops {

using graph::Value;
using reference::Array;

graph::CallAttributes affine_attributes(const Tensor& weight, const Tensor& bias) {
  return graph::CallAttributes().flag(weight.defined()).flag(bias.defined());
}

std::vector<graph::Param> affine_params() {
  return {{"weight", graph::ParamKind::flag}, {"bias", graph::ParamKind::flag}};
}

Affine read_affine(graph::AttributeReader& attributes) {
  Affine a;
  int next = 1;
  if (attributes.flag()) a.weight = next++;
  if (attributes.flag()) a.bias = next++;
  return a;
}

Tensor dispatch_affine(const graph::OpDef& op, Operand& x, const Tensor& weight, const Tensor& bias,
                       const graph::CallAttributes& attributes) {
  Operand w(weight, x.line().file, x.line().line), b(bias, x.line().file, x.line().line);
  if (weight.defined() && bias.defined()) return dispatch(op, {&x, &w, &b}, attributes);
  if (weight.defined()) return dispatch(op, {&x, &w}, attributes);
  if (bias.defined()) return dispatch(op, {&x, &b}, attributes);
  return dispatch(op, {&x}, attributes);
}

Value standardized(Composer& c, Value x, const Dims& dims, const graph::Scalar& eps) {
  const Value count = c.count(extents_of(c.type(x), dims), c.type(x).dtype);
  const Value centered = c.binary<"sub">(x, c.binary<"div">(c.fold<"sum">(x, dims, true), count));
  const Value variance = c.binary<"div">(c.fold<"sum">(c.square(centered), dims, true), count);
  return c.binary<"mul">(centered, c.unary<"rsqrt">(c.binary<"add">(variance, eps)));
}

Array standardized(const Array& x, const Dims& dims, double eps) {
  return map_rows(x, dims, [eps]<class T>(std::span<T> row) {
    const T count = static_cast<T>(row.size()), mean = sum_row<T>(row) / count;
    std::vector<T> squares;
    for (T& v : row) {
      v -= mean;
      squares.push_back(v * v);
    }
    const T scale = apply(rsqrt_value, sum_row<T>(squares) / count + static_cast<T>(eps));
    for (T& v : row) v *= scale;
  });
}

Value affine(Composer& c, Value x, const graph::Node& node, const Affine& a,
             std::span<const graph::Expr> parameter_shape) {
  const auto parameter = [&](int operand) {
    return c.to(c.reshape(node.operands[static_cast<size_t>(operand)], parameter_shape), c.type(x).dtype);
  };
  if (a.weight >= 0) x = c.binary<"mul">(x, parameter(a.weight));
  if (a.bias >= 0) x = c.binary<"add">(x, parameter(a.bias));
  return x;
}

Array affine(const Array& x, std::span<const Array> operands, const Affine& a, const Dims& parameter_shape) {
  Array result = x;
  const auto apply_parameter = [&](int operand, scalar::ScalarOp op) {
    const Array both[] = {result, reshaped(operands[static_cast<size_t>(operand)], parameter_shape)};
    result = reference::map_elements(x.dtype, x.dtype, both, [op](auto v) { return scalar::evaluate(op, v); });
  };
  if (a.weight >= 0) apply_parameter(a.weight, scalar::ScalarOp::mul);
  if (a.bias >= 0) apply_parameter(a.bias, scalar::ScalarOp::add);
  return result;
}

}  // namespace sinter::ops
