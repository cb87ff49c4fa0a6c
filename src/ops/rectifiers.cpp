// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/activations.h>
#include <sinter/views.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/number_range.h"
#include "src/ops/pointwise.h"
#include "src/ops/refusals.h"

namespace sinter::ops {
namespace {

Tensor hardtanh_of(Operand& x, double min, double max) {
  return dispatch(op<"hardtanh">(), {&x},
                  graph::CallAttributes().number(graph::Number::of(min)).number(graph::Number::of(max)));
}

/// The slopes of channels (dim 1 of x) as a tensor that broadcasts against x.
Tensor aligned_slopes(const Tensor& x, const Tensor& weight, SourceLine line) {
  const int64_t channels = x.rank() < 2 ? 1 : x.size(1);
  if (weight.rank() > 1 || (weight.numel() != 1 && weight.numel() != channels))
    refuse("prelu", line,
           fmt::format("expected 1 slope or {} for the channels of {} {}, got {}", channels, x.dtype().name(),
                       x.shape().text(), weight.shape().text()),
           "dim 1 of x is that of channels");
  if (weight.rank() == 0 || x.rank() == 1 || x.rank() == 2) return weight;
  Dims shape = Dims::filled(x.rank() == 0 ? 0 : static_cast<size_t>(x.rank()) - 1, 1);
  if (!shape.empty()) shape[0] = weight.numel();
  return reshape(Operand(weight, line.file, line.line), shape);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor leaky_relu(Operand x, LeakyReluOptions options) {
  return ops::dispatch(ops::op<"leaky_relu">(), {&x},
                       graph::CallAttributes().number(graph::Number::of(options.negative_slope)));
}
Tensor hardtanh(Operand x, HardtanhOptions options) {
  if (options.min_val > options.max_val)
    ops::refuse("hardtanh", x.line(), fmt::format("min_val {} is above max_val {}", options.min_val, options.max_val),
                "exchange them");
  return ops::hardtanh_of(x, options.min_val, options.max_val);
}
Tensor relu6(Operand x) { return ops::hardtanh_of(x, 0, 6); }
Tensor threshold(Operand x, Operand threshold, Operand value) {
  const DType dtype = x.is_tensor() && x.tensor().defined() ? x.tensor().dtype() : f64;
  for (const Operand* number : {&threshold, &value}) {
    ops::require_number(*number, "threshold");
    ops::check_fits("threshold", ops::number_of(*number), dtype, x.line());
  }
  return ops::dispatch(ops::op<"threshold">(), {&x},
                       graph::CallAttributes().number(ops::number_of(threshold)).number(ops::number_of(value)));
}
Tensor prelu(Operand x, Operand weight) {
  if (!x.is_tensor() || !weight.is_tensor() || !x.tensor().defined() || !weight.tensor().defined())
    return ops::pointwise<"prelu">(x, weight);
  Operand slopes(ops::aligned_slopes(x.tensor(), weight.tensor(), x.line()), x.line().file, x.line().line);
  weight.release();
  return ops::pointwise<"prelu">(x, slopes);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// x where it is positive, otherwise times a slope; NaN stays.
Value leaky(Builder& b, Values v, DType, graph::AttributeReader) {
  return b.select(b.gt(v[0], b.constant(v[0].type, 0)), v[0], b.mul(v[0], v[1]));
}

graph::OpDef threshold_op() {
  graph::OpDef def =
      pointwise_op({.name = "threshold",
                    .doc = "x where it is above a threshold, otherwise a value; NaN stays.",
                    .constants = {"threshold", "value"},
                    .constant_use = NumberUse::rounded,
                    .types = keeps_dtype,
                    .refuse = refuse_boolean,
                    .compute = [](Builder& b, Values v, DType,
                                  graph::AttributeReader) { return b.select(b.le(v[0], v[1]), v[2], v[0]); },
                    .forms = {constants_form({1, 2}), constants_form({0.3, 7})}});
  def.infer = [infer = std::move(def.infer)](graph::InferContext& context) {
    auto results = infer(context);
    graph::AttributeReader attributes = context.attributes();
    for (int i = 0; i < 2; ++i) check_fits(context, attributes.number(), results[0].dtype);
    return results;
  };
  return def;
}

}  // namespace

void register_rectifiers() {
  graph::register_op(pointwise_op({.name = "leaky_relu",
                                   .doc = "x where it is positive, otherwise x times a slope.",
                                   .constants = {"negative_slope"},
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = leaky,
                                   .forms = {constants_form({0.01}), constants_form({-2})}}));
  graph::register_op(pointwise_op({.name = "prelu",
                                   .doc = "x where it is positive, otherwise x times another tensor of its dtype.",
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers_and_mixed,
                                   .compute = leaky,
                                   .samples_all_pairs = false}));
  graph::register_op(pointwise_op(
      {.name = "hardtanh",
       .doc = "x limited to [min_val, max_val], numbers of the dtype of x; NaN stays.",
       .constants = {"min_val", "max_val"},
       .constant_use = NumberUse::saturated,
       .types = keeps_dtype,
       .refuse = refuse_boolean,
       .compute = [](Builder& b, Values v, DType, graph::AttributeReader) { return b.min(b.max(v[0], v[1]), v[2]); },
       .forms = {constants_form({-1, 1}), constants_form({0, 6}), constants_form({-1.7, 300})}}));
  graph::register_op(threshold_op());
}

}  // namespace sinter::ops
