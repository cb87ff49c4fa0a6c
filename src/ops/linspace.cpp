// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::Number;

graph::CallAttributes linspace_attributes(Number start, Number end, int64_t steps, DType dtype, Device device) {
  return graph::CallAttributes().number(start).number(end).extent(steps).dtype(dtype).device(device);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor linspace(Operand start, Operand end, int64_t steps, DType dtype, Device device) {
  for (const Operand* o : {&start, &end}) {
    ops::require_number(*o, "linspace");
    ops::check_fits("linspace", ops::number_of(*o), dtype, o->line());  // also once they are run-time numbers
  }
  return ops::dispatch_creation(
      ops::op<"linspace">(), ops::linspace_attributes(ops::number_of(start), ops::number_of(end), steps, dtype, device),
      end.line());
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

std::vector<graph::ValueType> infer_linspace(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const graph::Scalar &start = attributes.number(), &end = attributes.number();
  const Expr steps = attributes.extent();
  const DType dtype = attributes.dtype();
  if (steps.constant().value_or(0) < 0)
    context.fail(fmt::format("{} steps; expected 0 or more", steps.text()), "give a number of 0 or more");
  if (dtype.is_boolean()) context.fail("boolean has no steps; expected an integer or floating dtype");
  check_fits(context, start, dtype);
  check_fits(context, end, dtype);
  return {{dtype, {steps}}};
}

/// Integers step in f64, halves in f32.
DType linspace_type(DType dtype) { return dtype.is_floating() ? scalar::compute_type(dtype) : f64; }

/// PyTorch's kernels contract product and sum into an fma on processors that have one, but not in f16.
bool contracts(DType dtype) { return dtype != f16; }

/// PyTorch's formula: from the nearer end, so that both are exact.
loop::Value lower_linspace(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const DType dtype = reader.result_type().dtype, t = linspace_type(dtype), compute = scalar::compute_type(dtype);
  const auto bound = [&] { return b.round_to(reader.number(attributes.number(), compute), dtype); };
  const loop::Value first = bound(), last = bound();
  const Expr steps = attributes.extent();
  if (steps.is_constant(0) || steps.is_constant(1)) return first;
  const DType position = index_type(steps);
  const auto count = [&](Expr e) { return b.convert(b.body().index_value(e, position), t); };
  const loop::Value start = convert_value(b, first, dtype, t), end = convert_value(b, last, dtype, t);
  const loop::Value step = b.div(b.sub(end, start), count(steps - 1));
  const auto from = [&](loop::Value origin, loop::Value distance, Expr i) {
    return contracts(dtype) ? b.fma(distance, count(i), origin) : b.add(origin, b.mul(distance, count(i)));
  };
  const loop::Value up = from(start, step, index[0]), down = from(end, b.neg(step), steps - 1 - index[0]);
  const loop::Value lower_half =
      b.lt(b.body().index_value(index[0], position), b.body().index_value(floordiv(steps, 2), position));
  return convert_value(b, b.select(lower_half, up, down), t, dtype);
}

Source source_of_linspace(const ReferenceContext& context, const Dims& index) {
  using scalar::Constant, scalar::ScalarOp;
  graph::AttributeReader attributes = context.attributes();
  const DType dtype = context.node.results[0].dtype, t = linspace_type(dtype);
  const Constant first = literal_number(attributes.number(), dtype), last = literal_number(attributes.number(), dtype);
  const int64_t steps = literal_extent(attributes.extent());
  if (steps == 1) return {-1, {}, first};
  const auto run = [](ScalarOp op, std::initializer_list<Constant> v) {
    return scalar::evaluate(op, std::span(v.begin(), v.size()));
  };
  const auto count = [&](int64_t n) { return scalar::constant_int(t, n); };
  const Constant start = convert_element(first, dtype, t), end = convert_element(last, dtype, t);
  const Constant step = run(ScalarOp::div, {run(ScalarOp::sub, {end, start}), count(steps - 1)});
  const bool lower_half = index[0] < steps / 2;
  const Constant origin = lower_half ? start : end, distance = lower_half ? step : run(ScalarOp::neg, {step});
  const Constant i = count(lower_half ? index[0] : steps - 1 - index[0]);
  const Constant value = contracts(dtype) ? run(ScalarOp::fma, {distance, i, origin})
                                          : run(ScalarOp::add, {origin, run(ScalarOp::mul, {distance, i})});
  return {-1, {}, convert_element(value, t, dtype)};
}

std::vector<graph::SampleCall> sample_linspace() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](Number start, Number end, int64_t steps, DType dtype) {
    list.push_back(sample_call({}, linspace_attributes(start, end, steps, dtype, Device::cpu())));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add(Number::of(1), Number::of(100), 17, t);
  for (const DType t : {f16, bf16, f32, f64}) add(Number::of(-0.1), Number::of(7.3), 16, t);
  for (const int64_t steps : {0, 1, 2, 3, 1023}) add(Number::of(0.3), Number::of(-5.7), steps, f32);
  add(Number::of(7), Number::of(7), 5, f32);
  add(Number::of(0.9), Number::of(10.7), 4, i32);
  add(Number::of(-10), Number::of(10), 4, i8);
  return list;
}

}  // namespace

void register_linspace() {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = "linspace";
  def.doc = "Numbers at equal distances from start to end, both included; counted from the nearer end.";
  def.op_class = graph::OpClass::creation;
  def.min_operands = def.max_operands = 0;
  def.params = {{"start", Kind::number},
                {"end", Kind::number},
                {"steps", Kind::extent},
                {"dtype", Kind::dtype},
                {"device", Kind::device}};
  def.infer = infer_linspace;
  def.lower = lower_linspace;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_linspace)};
  };
  def.sample = sample_list(sample_linspace);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
