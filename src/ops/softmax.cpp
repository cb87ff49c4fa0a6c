// SPDX-License-Identifier: Apache-2.0
// Two passes over a row: its largest element, then the sum of exponentials that do not overflow. What is taken of every
// element is approximate; what is taken once a row costs nothing and is not.
#include <sinter/normalization.h>
#include <sinter/reductions.h>

#include <cmath>
#include <limits>

#include "src/ops/compose.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/promotion.h"
#include "src/ops/reduction.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor softmax(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"softmax">(), {&x}, graph::CallAttributes().integer(dim));
}
Tensor log_softmax(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"log_softmax">(), {&x}, graph::CallAttributes().integer(dim));
}
Tensor logsumexp(Operand x, ReduceOptions options) {
  return ops::dispatch(ops::op<"logsumexp">(), {&x}, ops::reduce_attributes(options));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

std::vector<graph::ValueType> infer_softmax(graph::InferContext& context) {
  require_floating(context, 0);
  context.dim(context.attributes().integer(), context.operand(0).rank());
  return {context.operand(0)};
}

std::vector<graph::ValueType> infer_logsumexp(graph::InferContext& context) {
  return {{floating_result(context.operand(0).dtype), reduce_shape(context).shape}};
}

Dims dim_of(const Node& node) { return {graph::AttributeReader(node.attributes).integer()}; }

std::vector<Value> decompose_softmax(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype));
  if (is_empty(node.results[0].shape))
    return {c.to(c.unary<"exp_approx">(x), dtype)};  // a row of nothing has no largest
  const Value e = c.unary<"exp_approx">(c.binary<"sub">(x, c.fold<"amax">(x, dim_of(node), true)));
  return {c.to(c.binary<"div_approx">(e, c.fold<"sum">(e, dim_of(node), true)), dtype)};
}

std::vector<Value> decompose_log_softmax(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype));
  if (is_empty(node.results[0].shape)) return {c.to(c.unary<"exp_approx">(x), dtype)};
  const Value centered = c.binary<"sub">(x, c.fold<"amax">(x, dim_of(node), true));
  const Value sum = c.fold<"sum">(c.unary<"exp_approx">(centered), dim_of(node), true);
  return {c.to(c.binary<"sub">(centered, c.unary<"log">(sum)), dtype)};
}

/// An infinite largest element is not subtracted: inf - inf would be NaN.
std::vector<Value> decompose_logsumexp(Graph& g, const Node& node) {
  Composer c(g, node.line);
  graph::AttributeReader attributes(node.attributes);
  const Dims given = attributes.integers();
  const bool keepdim = attributes.flag();
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype));
  Dims dims;
  for (int d : reduced_dims(given, c.type(x).rank())) dims.push_back(d);
  if (is_empty(c.type(x).shape)) return {c.to(c.unary<"log">(c.fold<"sum">(x, given, keepdim)), dtype)};
  const Value largest = c.fold<"amax">(x, given, true);
  const Value shift = c.where(c.unary<"isinf">(largest), graph::Number::of(0.0), largest);
  const Value sum = c.fold<"sum">(c.unary<"exp_approx">(c.binary<"sub">(x, shift)), given, true);
  const Value result = c.binary<"add">(c.unary<"log">(sum), shift);
  return {c.to(keepdim ? result : c.squeeze(result, dims), dtype)};
}

Dims row_dims(const Node& node, const Array& x) {
  if (x.shape.empty()) return {};
  const int64_t dim = graph::AttributeReader(node.attributes).integer();
  return {dim < 0 ? dim + static_cast<int64_t>(x.shape.size()) : dim};
}

std::vector<Array> reference_softmax(const Node& node, std::span<const Array> operands) {
  const Array wide = converted(operands[0], scalar::compute_type(operands[0].dtype));
  const Array result = map_rows(wide, row_dims(node, wide), []<class T>(std::span<T> row) {
    const T largest = max_row<T>(row);
    for (T& v : row) v = apply(exp_approx_value, v - largest);
    const T sum = sum_row<T>(row);
    for (T& v : row) v = apply(quotient_approx_value, v, sum);
  });
  return {converted(result, operands[0].dtype)};
}

std::vector<Array> reference_log_softmax(const Node& node, std::span<const Array> operands) {
  const Array wide = converted(operands[0], scalar::compute_type(operands[0].dtype));
  const Array result = map_rows(wide, row_dims(node, wide), []<class T>(std::span<T> row) {
    const T largest = max_row<T>(row);
    std::vector<T> e;
    for (T& v : row) e.push_back(apply(exp_approx_value, v -= largest));
    const T log = apply(log_value, sum_row<T>(e));
    for (T& v : row) v -= log;
  });
  return {converted(result, operands[0].dtype)};
}

template <class T>
T logsumexp_of(std::span<const T> row) {
  if (row.empty()) return -std::numeric_limits<T>::infinity();
  const T largest = max_row<T>(row), shift = std::isinf(largest) ? T{0} : largest;
  std::vector<T> e;
  for (T v : row) e.push_back(apply(exp_approx_value, v - shift));
  return apply(log_value, sum_row<T>(e)) + shift;
}

std::vector<Array> reference_logsumexp(const Node& node, std::span<const Array> operands) {
  const DType dtype = node.results[0].dtype;
  const Array wide = converted(operands[0], scalar::compute_type(dtype));
  const Dims given = graph::AttributeReader(node.attributes).integers();
  Dims dims;
  for (int d : reduced_dims(given, static_cast<int>(wide.shape.size()))) dims.push_back(d);
  const Array result =
      fold_rows(wide, dims, result_shape(node), []<class T>(std::span<const T> row) { return logsumexp_of(row); });
  return {converted(result, dtype)};
}

std::vector<graph::SampleCall> sample_softmax() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, double low, double high) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(dim), low, high));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {7, 17}, 1, 0, 8);
    add(t, {17, 7}, 0, -300, 300);
    add(t, {3, 1040}, -1, 0, 300);
  }
  add(f32, {2, 16, 3}, 1, 0, 4);
  add(f32, {2, 2500}, -1, 0, 9);
  add(f32, {1023}, 0, -4, 4);
  add(f32, {5, 1}, 1, 0, 4);
  add(f32, {}, -1, 0, 4);
  add(f32, {0, 3}, 1, 0, 4);
  add(f32, {3, 0}, 1, 0, 4);
  return list;
}

graph::OpDef softmax_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = infer_softmax;
  def.sample = sample_list(sample_softmax);
  return def;
}

}  // namespace

void register_softmax() {
  graph::OpDef softmax = softmax_op("softmax", "Exponentials over a dim divided by their sum.");
  softmax.decompose = decompose_softmax;
  softmax.reference = reference_softmax;
  graph::register_op(std::move(softmax));
  graph::OpDef log_softmax = softmax_op("log_softmax", "The logarithm of softmax, accurate where that is small.");
  log_softmax.decompose = decompose_log_softmax;
  log_softmax.reference = reference_log_softmax;
  graph::register_op(std::move(log_softmax));
  graph::OpDef logsumexp;
  logsumexp.name = "logsumexp";
  logsumexp.doc = "The logarithm of the sum of exponentials over dims; integers and booleans give f32.";
  logsumexp.op_class = graph::OpClass::reduction;
  logsumexp.params = reduce_params();
  logsumexp.infer = infer_logsumexp;
  logsumexp.decompose = decompose_logsumexp;
  logsumexp.reference = reference_logsumexp;
  logsumexp.sample = sample_list([] { return sample_reduction(true, 0, 60); });
  graph::register_op(std::move(logsumexp));
}

}  // namespace sinter::ops
