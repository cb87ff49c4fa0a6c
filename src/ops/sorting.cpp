// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/indexing.h>
#include <sinter/sorting.h>
#include <sinter/views.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

Tensor ordered_rows(const Tensor& rows, bool descending, SourceLine line) {
  Operand x(rows, line.file, line.line);
  return dispatch(op<"argsort">(), {&x}, graph::CallAttributes().flag(descending));
}

/// The last dim of the rows is the one along which they are ordered.
struct Rows {
  Tensor rows;
  int64_t dim = -1;
  SourceLine line;
  Tensor in_place(Tensor t) const { return dim + 1 == t.rank() ? t : movedim(made(std::move(t), line), {-1}, {dim}); }
  /// The elements at some positions, and these.
  Sorted at(const Tensor& positions) const {
    return {in_place(gather(made(rows, line), -1, positions)), in_place(positions)};
  }
};

Rows rows_of(const Operand& x, int64_t dim, std::string_view name) {
  Rows r;
  const Tensor& whole = require_tensor(x, name);
  r.dim = static_cast<int64_t>(require_dim(x, dim, name));
  r.line = x.line();
  r.rows = r.dim + 1 == whole.rank() ? whole : movedim(borrowed(x), {r.dim}, {-1});
  return r;
}

bool is_scalar(const Operand& x, int64_t dim, std::string_view name) {
  if (require_tensor(x, name).rank() > 0) return false;
  if (dim != 0 && dim != -1) refuse(name, x.line(), fmt::format("dim {} of a 0-d tensor", dim), "give dim 0 or -1");
  return true;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor argsort(Operand x, SortOptions options) {
  if (ops::is_scalar(x, options.dim, "argsort")) return ops::ordered_rows(x.tensor(), options.descending, x.line());
  const ops::Rows r = ops::rows_of(x, options.dim, "argsort");
  return r.in_place(ops::ordered_rows(r.rows, options.descending, r.line));
}

Sorted sort(Operand x, SortOptions options) {
  if (ops::is_scalar(x, options.dim, "sort")) {
    const auto [values, indices] = sort(ops::made(reshape(ops::borrowed(x), {1}), x.line()));
    return {reshape(ops::made(values, x.line()), {}), reshape(ops::made(indices, x.line()), {})};
  }
  const ops::Rows r = ops::rows_of(x, options.dim, "sort");
  return r.at(ops::ordered_rows(r.rows, options.descending, r.line));
}

Sorted topk(Operand x, int64_t k, TopkOptions options) {
  const ops::Rows r = ops::rows_of(x, options.dim, "topk");
  const int64_t length = r.rows.shape().back();
  if (k < 0 || k > length)
    ops::refuse("topk", x.line(), fmt::format("k is {} for a dim of {}", k, length),
                fmt::format("give k in [0, {}]", length));
  Operand rows = ops::made(r.rows, r.line);
  return r.at(ops::dispatch(ops::op<"topk">(), {&rows}, graph::CallAttributes().flag(options.largest).extent(k)));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_argsort(graph::InferContext& context) { return {{i64, context.operand(0).shape}}; }

/// Is a before b? NaN is larger than every number.
bool is_less(const scalar::Constant& a, const scalar::Constant& b) {
  const auto holds = [](scalar::ScalarOp op, const scalar::Constant& x, const scalar::Constant& y) {
    const scalar::Constant both[] = {x, y};
    return scalar::evaluate(op, both).bits != 0;
  };
  using enum scalar::ScalarOp;
  const bool a_is_nan = holds(ne, a, a), b_is_nan = holds(ne, b, b);
  if (a_is_nan || b_is_nan) return !a_is_nan && b_is_nan;
  return holds(lt, a, b);
}

std::vector<graph::ValueType> infer_topk(graph::InferContext& context) {
  graph::ValueType result{i64, context.operand(0).shape};
  const graph::Expr k = context.attributes().extent();
  if (result.shape.empty()) context.fail("a 0-d tensor has no rows");
  const auto first = k.constant(), length = result.shape.back().constant();
  if (first && (*first < 0 || (length && *first > *length)))
    context.fail(fmt::format("k is {} for rows of {}", k.text(), result.shape.back().text()));
  result.shape.back() = k;
  return {std::move(result)};
}

/// The first ones of each row, as many as the result has.
reference::Array order_reference(const graph::Node& node, const reference::Array& x) {
  const bool descending = graph::AttributeReader(node.attributes).flag();
  const Dims shape = literal_extents(node.results[0].shape);
  reference::Array result = reference::Array::zeros(i64, shape);
  const int64_t length = x.shape.empty() ? 1 : x.shape.back(), kept = shape.empty() ? 1 : shape.back();
  std::vector<int64_t> order(static_cast<size_t>(length));
  for (int64_t first = 0, to = 0; first < x.size(); first += length, to += kept) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      return descending ? is_less(x.at(first + b), x.at(first + a)) : is_less(x.at(first + a), x.at(first + b));
    });
    for (int64_t i = 0; i < kept; ++i) result.set(to + i, scalar::constant_int(i64, order[static_cast<size_t>(i)]));
  }
  return result;
}

std::vector<graph::SampleCall> sample_argsort() {
  std::vector<graph::SampleCall> list;
  for (const bool descending : {false, true}) {
    const auto attributes = graph::CallAttributes().flag(descending);
    for (const DType t : all_dtypes) list.push_back(sample_call({sample_type(t, {5, 17})}, attributes));
    for (const Dims& shape : {Dims{}, Dims{0}, Dims{3, 0}, Dims{1}, Dims{1023}, Dims{2, 3, 40}})
      list.push_back(sample_call({sample_type(f32, shape)}, attributes));
    list.push_back(sample_call({sample_type(i32, {2, 5000})}, attributes, -2e9, 2e9));
    list.push_back(sample_call({sample_type(f64, {5000})}, attributes));
  }
  return list;
}

std::vector<graph::SampleCall> sample_topk() {
  std::vector<graph::SampleCall> list;
  for (const bool descending : {false, true}) {
    const auto add = [&](DType t, const Dims& shape, int64_t k) {
      list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().flag(descending).extent(k)));
    };
    for (const DType t : all_dtypes) add(t, {5, 17}, 4);
    add(f32, {0}, 0);
    add(f32, {3, 0}, 0);
    add(f32, {3, 7}, 0);
    add(f32, {1}, 1);
    add(f32, {2, 3, 40}, 40);
    add(f64, {1023}, 100);
    add(i32, {2, 5000}, 70);
  }
  return list;
}

graph::OpDef order_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::call;
  def.params = {{"descending", graph::ParamKind::flag}};
  def.call = graph::CallRule{[](const graph::Node&, size_t, graph::OperandLayout& l) { return graph::reads_dense(l); }};
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{order_reference(node, operands[0])};
  };
  return def;
}

}  // namespace

void register_sorting() {
  graph::OpDef whole = order_op(
      "argsort", "Positions along the last dim in the order of their elements, stable; NaN counts as the largest.");
  whole.infer = infer_argsort;
  whole.sample = sample_list(sample_argsort);
  graph::register_op(std::move(whole));
  graph::OpDef first = order_op("topk", "The first k positions of argsort.");
  first.params.push_back({"k", graph::ParamKind::extent});
  first.infer = infer_topk;
  first.sample = sample_list(sample_topk);
  graph::register_op(std::move(first));
}

}  // namespace sinter::ops
