// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>
#include <sinter/pointwise.h>
#include <sinter/reductions.h>
#include <sinter/scatter.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/accumulate.h"
#include "src/ops/describe.h"
#include "src/ops/element_position.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/row_writes.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// On the host; the call is broken here.
int64_t largest_value(const Operand& x) { return item<int64_t>(to(made(amax(borrowed(x)), x.line()), i64), x.line()); }

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor bincount(Operand x, BincountOptions options) {
  if (options.minlength < 0 || options.length.value_or(0) < 0)
    ops::refuse("bincount", x.line(), "a negative length", "give 0 or more");
  int64_t length = options.length.value_or(options.minlength);
  const Tensor& values = ops::require_tensor(x, "bincount");
  if (!options.length && values.shape().product() > 0) length = std::max(length, ops::largest_value(x) + 1);
  if (options.weights) {
    const Tensor& given = *options.weights;
    Operand weights =
        ops::made(given.defined() && given.dtype() != f32 ? to(ops::made(given, x.line()), f64) : given, x.line());
    return ops::dispatch(ops::op<"bincount">(), {&x, &weights}, graph::CallAttributes().extent(length));
  }
  return ops::dispatch(ops::op<"bincount">(), {&x}, graph::CallAttributes().extent(length));
}

Tensor histc(Operand x, HistcOptions options) {
  const Tensor self = ops::require_tensor(x, "histc");
  const DType t = self.dtype();
  if (t != f32 && t != f64)
    ops::refuse("histc", x.line(), fmt::format("expected f32 or f64, got {}", t.name()), "cast it with to(x, f32)");
  if (options.bins < 1 || options.min > options.max)
    ops::refuse("histc", x.line(), fmt::format("{} bins from {} to {}", options.bins, options.min, options.max),
                "give at least one bin, and min <= max");
  const auto at = [line = x.line()](Tensor made) { return ops::made(std::move(made), line); };
  const auto number = [line = x.line()](double n) { return Operand(n, line.file, line.line); };
  const Tensor flat = flatten(ops::borrowed(x));
  Tensor low = full(Dims{}, number(options.min), t, self.device());
  Tensor high = full(Dims{}, number(options.max), t, self.device());
  if (options.min == options.max && self.shape().product() > 0) {
    low = amin(at(flat)), high = amax(at(flat));
    const Tensor equal = at(low) == high;
    const Tensor wider = at(low) - 1;
    high = where(at(equal), at(high) + 1, high);
    low = where(at(equal), wider, low);
  }
  const Tensor inside = logical_and(at(at(flat) >= low), at(flat) <= high);
  const Tensor scaled = at(at(at(flat) - low) / (at(high) - low)) * options.bins;
  const Tensor place = clamp_max(at(to(at(scaled), i64)), options.bins - 1);
  Operand counted = at(to(at(inside), i64)), places = at(where(at(inside), place, 0));
  return to(at(ops::dispatch(ops::op<"accumulate">(), {&counted, &places}, ops::accumulate_sums(options.bins))), t);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

std::vector<graph::ValueType> infer_bincount(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  const Expr length = context.attributes().extent();
  if (!x.dtype.is_integer() || x.dtype == u64 || x.rank() != 1)
    context.fail(fmt::format("expected integers of one dim, got {}", describe(x)), "flatten it, and cast it to i64");
  if (length.is_constant(0) && !x.shape[0].is_constant(0)) context.fail("a length of 0 has no bin to count in");
  if (context.operand_count() == 1) return {{i64, {length}}};
  const graph::ValueType& weights = context.operand(1);
  if (!weights.dtype.is_floating() || weights.rank() != 1 || !context.same_extent(weights.shape[0], x.shape[0]))
    context.fail(fmt::format("expected a floating weight for each of {}, got {}", describe(x), describe(weights)));
  return {{weights.dtype, {length}}};
}

graph::Scalar number(int64_t n) { return Composer::literal(graph::Number::of(n)); }

std::vector<Value> decompose_bincount(graph::Graph& g, const graph::Node& node) {
  Composer c(g, node.line);
  const Expr length = node.results[0].shape[0];
  Value x = node.operands[0];
  if (c.type(x).dtype != i32) x = c.to(x, i64);
  const Value positions = element_positions(c, x, IndexedWrite::bincount, false, 0, {&length, 1});
  if (node.operands.size() == 2) {
    const Value zero = c.to(c.binary<"sub">(c.count({}, i64), number(1)), node.results[0].dtype);
    return {add_rows(c, {c.expand(zero, {&length, 1}), positions, node.operands[1]})};
  }
  const Value ones = c.expand(c.count({}, i64), c.type(x).shape);
  return {accumulate(c, graph::ReduceKind::sum, ones, positions, length)};
}

reference::Array weighted_reference(const graph::Node& node, const reference::Array& x,
                                    const reference::Array& weights) {
  const int64_t length = literal_extent(node.results[0].shape[0]);
  ElementWriter sums(reference::Array::zeros(weights.dtype, {length}), true);
  for (int64_t i = 0; i < x.size(); ++i) sums.write({checked_write(node, x.at(i), length, false)}, weights.at(i));
  return sums.result();
}

reference::Array bincount_reference(const graph::Node& node, const reference::Array& x) {
  const int64_t length = literal_extent(node.results[0].shape[0]);
  std::vector<int64_t> counts(static_cast<size_t>(length));
  for (int64_t i = 0; i < x.size(); ++i) ++counts[static_cast<size_t>(checked_write(node, x.at(i), length, false))];
  reference::Array result = reference::Array::zeros(i64, {length});
  for (int64_t i = 0; i < length; ++i) result.set(i, scalar::constant_int(i64, counts[static_cast<size_t>(i)]));
  return result;
}

std::vector<graph::SampleCall> sample_bincount() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, int64_t count, int64_t length) {
    list.push_back(sample_call({sample_type(t, {count})}, graph::CallAttributes().extent(length), 0, 2.9));
  };
  for (const DType t : {u8, u16, u32, i8, i16, i32, i64}) add(t, 17, 3);
  add(i32, 1025, 16);
  add(i64, 0, 3);
  add(i64, 0, 0);
  add(u8, 7, 1023);
  for (const DType t : {f32, f64})
    list.push_back(
        sample_call({sample_type(i64, {17}), sample_type(t, {17})}, graph::CallAttributes().extent(3), 0, 2.9));
  return list;
}

}  // namespace

void register_bincount() {
  graph::OpDef def;
  def.name = "bincount";
  def.doc = "How often each of 0, 1, ... below a length occurs, or the sums of their weights; other values are errors.";
  def.op_class = graph::OpClass::indexed;
  def.max_operands = 2;
  def.params = {{"length", graph::ParamKind::extent}};
  def.infer = infer_bincount;
  def.decompose = decompose_bincount;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{operands.size() == 2 ? weighted_reference(node, operands[0], operands[1])
                                            : bincount_reference(node, operands[0])};
  };
  def.sample = sample_list(sample_bincount);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
