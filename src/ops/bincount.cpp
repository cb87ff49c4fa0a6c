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
#include "src/ops/samples.h"

namespace sinter {

Tensor bincount(Operand x, BincountOptions options) {
  if (options.minlength < 0 || options.length.value_or(0) < 0)
    ops::refuse("bincount", x.line(), "a negative length", "give 0 or more");
  int64_t length = options.length.value_or(options.minlength);
  const Tensor& values = ops::require_tensor(x, "bincount");
  if (!options.length && values.shape().product() > 0)
    length = std::max(length, item<int64_t>(to(amax(values), i64)) + 1);
  if (options.weights) {
    const Tensor weights = options.weights->dtype() == f32 ? *options.weights : to(*options.weights, f64);
    return index_add(zeros({length}, weights.dtype(), values.device(), x.line()), 0, to(values, i64), weights);
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
  const Tensor flat = flatten(self);
  Tensor low = full(Dims{}, options.min, t, self.device()), high = full(Dims{}, options.max, t, self.device());
  if (options.min == options.max && self.shape().product() > 0) {
    low = amin(flat), high = amax(flat);
    const Tensor equal = low == high;
    const Tensor wider = low - 1;
    high = where(equal, high + 1, high);
    low = where(equal, wider, low);
  }
  const Tensor inside = logical_and(flat >= low, flat <= high);
  const Tensor place = clamp_max(to((flat - low) / (high - low) * options.bins, i64), options.bins - 1);
  Operand counted(to(inside, i64)), places(where(inside, place, 0));
  return to(ops::dispatch(ops::op<"accumulate">(), {&counted, &places}, ops::accumulate_sums(options.bins)), t);
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
  return {{i64, {length}}};
}

std::vector<Value> decompose_bincount(graph::Graph& g, const graph::Node& node) {
  Composer c(g, node.line);
  const Expr length = node.results[0].shape[0];
  Value x = node.operands[0];
  if (c.type(x).dtype != i32) x = c.to(x, i64);
  const Value positions = element_positions(c, x, IndexedWrite::bincount, false, 0, {&length, 1});
  const Value ones = c.expand(c.count({}, i64), c.type(x).shape);
  return {accumulate(c, graph::ReduceKind::sum, ones, positions, length)};
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
  return list;
}

}  // namespace

void register_bincount() {
  graph::OpDef def;
  def.name = "bincount";
  def.doc = "How often each of 0, 1, ... below a length occurs; other values are errors.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"length", graph::ParamKind::extent}};
  def.infer = infer_bincount;
  def.decompose = decompose_bincount;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{bincount_reference(node, operands[0])};
  };
  def.sample = sample_list(sample_bincount);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
