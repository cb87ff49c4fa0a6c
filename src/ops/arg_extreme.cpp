// SPDX-License-Identifier: Apache-2.0
// Positions of extremes: one fold of keys that hold an element and its position (extreme_key.h), where both fit 64
// bits.
#include <fmt/format.h>
#include <sinter/reductions.h>

#include <limits>

#include "src/ops/compose.h"
#include "src/ops/describe.h"
#include "src/ops/extents.h"
#include "src/ops/extreme_key.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/reduction.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

graph::CallAttributes arg_attributes(const ArgOptions& options) {
  return reduce_attributes({options.dim ? Dims{*options.dim} : Dims{}, options.keepdim});
}

Extreme extreme_of(const graph::OpDef& extreme, const graph::OpDef& arg, std::string_view name, Operand& x, int64_t dim,
                   bool keepdim) {
  require_tensor(x, name);
  Operand whole = borrowed(x);
  Tensor values = dispatch(extreme, {&whole}, reduce_attributes({{dim}, keepdim}));
  return {std::move(values), dispatch(arg, {&x}, arg_attributes({dim, keepdim}))};
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor argmax(Operand x, ArgOptions options) {
  return ops::dispatch(ops::op<"argmax">(), {&x}, ops::arg_attributes(options));
}
Tensor argmin(Operand x, ArgOptions options) {
  return ops::dispatch(ops::op<"argmin">(), {&x}, ops::arg_attributes(options));
}
Extreme max(Operand x, int64_t dim, bool keepdim) {
  return ops::extreme_of(ops::op<"amax">(), ops::op<"argmax">(), "max", x, dim, keepdim);
}
Extreme min(Operand x, int64_t dim, bool keepdim) {
  return ops::extreme_of(ops::op<"amin">(), ops::op<"argmin">(), "min", x, dim, keepdim);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

std::vector<graph::ValueType> infer_arg(graph::InferContext& context) {
  const Reduced r = reduce_shape(context);
  if (context.attributes().integers().size() > 1)
    context.fail("an index along several dims", "give one dim, or none for the index in row-major order");
  if (is_empty(r.extents) && !is_empty(r.shape))
    context.fail(fmt::format("the elements of {} over dims of extent 0 have no extreme", describe(context.operand(0))),
                 "give a dim that is not empty, or check numel() first");
  return {{i64, r.shape}};
}

/// The operand with the dim that is searched: the only one, of all elements in row-major order, or one of several.
struct Searched {
  Value x;
  size_t dim = 0;
  bool keepdim = false;
};

Searched searched(Composer& c, const Node& node) {
  graph::AttributeReader attributes(node.attributes);
  const Dims given = attributes.integers();
  const bool keepdim = attributes.flag();
  const Value x = node.operands[0];
  const auto rank = static_cast<int64_t>(c.type(x).rank());
  const Expr elements = element_count(c.type(x).shape);
  if (given.empty() || rank == 0) return {c.reshape(x, {&elements, 1}), 0, false};
  return {x, static_cast<size_t>(given[0] < 0 ? given[0] + rank : given[0]), keepdim};
}

/// The extreme, then the first position that holds it, of elements and positions that one key does not hold together.
Value first_of_extreme(Composer& c, const Searched& s, Expr extent, bool largest) {
  const Dims dims{static_cast<int64_t>(s.dim)};
  const graph::ValueType type = c.type(s.x);
  const DType index_dtype =
      extent.constant().value_or(graph::max_extent) <= std::numeric_limits<int32_t>::max() ? i32 : i64;
  std::vector<Expr> along(type.shape.size(), Expr(1));
  along[s.dim] = extent;
  const Value position = c.expand(c.reshape(c.positions(extent, index_dtype), along), type.shape);
  const Value extreme = c.call(largest ? op<"amax">() : op<"amin">(), {s.x}, reduce_attributes({dims, true}));
  Value found = c.binary<"eq">(s.x, extreme);
  if (type.dtype.is_floating()) found = c.binary<"logical_or">(found, c.binary<"ne">(s.x, s.x));
  const auto none = graph::Number::of(index_dtype == i32 ? int64_t{std::numeric_limits<int32_t>::max()}
                                                         : std::numeric_limits<int64_t>::max());
  const Value candidates =
      c.call(op<"where">(), {found, position}, graph::CallAttributes().flag(false).flag(true).number(none));
  return c.to(c.fold<"amin">(candidates, dims, s.keepdim), i64);
}

/// Does the function fold the extreme along rows as well that stay in a program? Then its position is cheaper to find
/// in what has stayed than the extreme of keys of 64 bits beside it.
bool is_beside_extreme(const Graph& g, const Searched& s, const KeyForm& form, bool largest) {
  constexpr int64_t stays = int64_t{1} << 15;
  const std::vector<Expr>& shape = g.type(s.x).shape;
  if (form.type == u32 || s.dim + 1 != shape.size() || shape[s.dim].constant().value_or(stays + 1) > stays)
    return false;
  for (graph::NodeId id = 0; id < static_cast<graph::NodeId>(g.size()); ++id) {
    const Node& n = g.node(id);
    if (!graph::is_op(n, largest ? "amax" : "amin") || n.operands[0] != s.x) continue;
    const Dims dims = graph::AttributeReader(n.attributes).integers();
    const std::vector<int> folded = reduced_dims(dims, static_cast<int>(shape.size()));
    if (folded == std::vector<int>{static_cast<int>(s.dim)}) return true;
  }
  return false;
}

/// NaN counts as the extreme, and the first one is found.
std::vector<Value> decompose_arg(Graph& g, const Node& node, bool largest) {
  Composer c(g, node.line);
  const graph::ValueType result = node.results[0];
  const Searched s = searched(c, node);
  const graph::ValueType type = c.type(s.x);
  const Dims dims{static_cast<int64_t>(s.dim)};
  if (is_empty(type.shape)) return {c.fold<"sum">(c.to(s.x, i64), dims, s.keepdim)};
  const Expr extent = type.shape[s.dim];
  const auto form = key_form(type.dtype, g.ranges.of(extent).second);
  if (!form || is_beside_extreme(g, s, *form, largest))
    return {c.reshape(first_of_extreme(c, s, extent, largest), result.shape)};
  const Value keys = extreme_keys(c, s.x, s.dim, largest, *form);
  return {c.reshape(positions_in(c, c.fold<"amax">(keys, dims, s.keepdim), *form), result.shape)};
}

/// Is b a better extreme than a, which comes before it?
bool is_better(const scalar::Constant& a, const scalar::Constant& b, bool largest) {
  const auto less = [](const scalar::Constant& x, const scalar::Constant& y) {
    return scalar::evaluate(scalar::ScalarOp::lt, {{x, y}}).bits != 0;
  };
  const auto is_nan = [](const scalar::Constant& x) {
    return scalar::evaluate(scalar::ScalarOp::ne, {{x, x}}).bits != 0;
  };
  if (is_nan(a) || is_nan(b)) return !is_nan(a);
  return largest ? less(a, b) : less(b, a);
}

std::vector<Array> reference_arg(const Node& node, std::span<const Array> operands, bool largest) {
  const Array& x = operands[0];
  Dims dims;
  for (int d : reduced_dims(graph::AttributeReader(node.attributes).integers(), static_cast<int>(x.shape.size())))
    dims.push_back(d);
  Array result = Array::zeros(i64, result_shape(node));
  int64_t next = 0;
  for (const std::vector<int64_t>& row : rows_along(x.shape, dims)) {
    size_t best = 0;
    for (size_t i = 1; i < row.size(); ++i)
      if (is_better(x.at(row[best]), x.at(row[i]), largest)) best = i;
    result.set(next++, scalar::constant_int(i64, static_cast<int64_t>(best)));
  }
  return {std::move(result)};
}

std::vector<graph::SampleCall> sample_arg() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const ArgOptions& options, double low, double high) {
    list.push_back(sample_call({sample_type(t, shape)}, arg_attributes(options), low, high));
  };
  for (const DType t : all_dtypes) {
    add(t, {7, 17}, {.dim = 1}, 0, 4);
    add(t, {17, 7}, {.dim = 0, .keepdim = true}, -60, 60);
  }
  for (const DType t : {f16, f32, i64}) add(t, {3, 1100}, {.dim = -1}, 0, 4);
  add(f32, {7, 17}, {}, 0, 4);
  add(f32, {2500, 3}, {.dim = 0}, 0, 4);
  add(f32, {2, 16, 3}, {.dim = 1}, 0, 1);
  add(u8, {3, 5}, {.keepdim = true}, 0, 200);
  add(f32, {}, {.dim = -1}, 0, 4);
  add(f32, {5, 1, 3}, {.dim = 1}, 0, 4);
  add(f32, {0, 3}, {.dim = 1}, 0, 4);
  return list;
}

void register_arg(std::string_view name, std::string_view doc, bool largest) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.params = reduce_params();
  def.infer = infer_arg;
  def.decompose = [largest](Graph& g, const Node& node) { return decompose_arg(g, node, largest); };
  def.reference = [largest](const Node& node, std::span<const Array> operands) {
    return reference_arg(node, operands, largest);
  };
  def.sample = sample_list(sample_arg);
  graph::register_op(std::move(def));
}

}  // namespace

void register_arg_extreme() {
  register_extreme_key();
  register_arg("argmax", "The first index of the largest element along a dim, or of all; NaN wins.", true);
  register_arg("argmin", "The first index of the smallest element along a dim, or of all; NaN wins.", false);
}

}  // namespace sinter::ops
