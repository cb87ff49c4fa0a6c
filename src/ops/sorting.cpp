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

/// Positions in order along a dim, which is the last one of the rows.
struct Order {
  Tensor rows, positions;
  int64_t dim = -1;
  SourceLine line;
  Tensor in_place(Tensor t) const { return dim + 1 == t.rank() ? t : movedim(made(std::move(t), line), {-1}, {dim}); }
  /// The elements at some of the positions.
  Tensor at(const Tensor& some) const { return gather(made(rows, line), -1, some); }
};

Order order_of(const Operand& x, int64_t dim, bool descending, std::string_view name) {
  Order o;
  const Tensor& whole = require_tensor(x, name);
  o.dim = static_cast<int64_t>(require_dim(x, dim, name));
  o.line = x.line();
  o.rows = o.dim + 1 == whole.rank() ? whole : movedim(borrowed(x), {o.dim}, {-1});
  o.positions = ordered_rows(o.rows, descending, o.line);
  return o;
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
  const ops::Order o = ops::order_of(x, options.dim, options.descending, "argsort");
  return o.in_place(o.positions);
}

Sorted sort(Operand x, SortOptions options) {
  if (ops::is_scalar(x, options.dim, "sort")) {
    const auto [values, indices] = sort(ops::made(reshape(ops::borrowed(x), {1}), x.line()));
    return {reshape(ops::made(values, x.line()), {}), reshape(ops::made(indices, x.line()), {})};
  }
  const ops::Order o = ops::order_of(x, options.dim, options.descending, "sort");
  return {o.in_place(o.at(o.positions)), o.in_place(o.positions)};
}

Sorted topk(Operand x, int64_t k, TopkOptions options) {
  const ops::Order o = ops::order_of(x, options.dim, options.largest, "topk");
  if (k < 0 || k > o.rows.shape().back())
    ops::refuse("topk", x.line(), fmt::format("k is {} for a dim of {}", k, o.rows.shape().back()),
                fmt::format("give k in [0, {}]", o.rows.shape().back()));
  const Tensor first = narrow(ops::made(o.positions, o.line), -1, 0, k);
  return {o.in_place(o.at(first)), o.in_place(first)};
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

reference::Array argsort_reference(const graph::Node& node, const reference::Array& x) {
  const bool descending = graph::AttributeReader(node.attributes).flag();
  reference::Array result = reference::Array::zeros(i64, x.shape);
  const int64_t length = x.shape.empty() ? 1 : x.shape.back();
  std::vector<int64_t> order(static_cast<size_t>(length));
  for (int64_t first = 0; first < x.size(); first += length) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      return descending ? is_less(x.at(first + b), x.at(first + a)) : is_less(x.at(first + a), x.at(first + b));
    });
    for (int64_t i = 0; i < length; ++i)
      result.set(first + i, scalar::constant_int(i64, order[static_cast<size_t>(i)]));
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

}  // namespace

void register_sorting() {
  graph::OpDef def;
  def.name = "argsort";
  def.doc = "Positions along the last dim in the order of their elements, stable; NaN counts as the largest.";
  def.op_class = graph::OpClass::call;
  def.params = {{"descending", graph::ParamKind::flag}};
  def.infer = infer_argsort;
  def.call = graph::CallRule{[](const graph::Node&, size_t, graph::OperandLayout& l) { return graph::reads_dense(l); }};
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{argsort_reference(node, operands[0])};
  };
  def.sample = sample_list(sample_argsort);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
