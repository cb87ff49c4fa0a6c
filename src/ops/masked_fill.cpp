// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/pointwise.h>

#include <cmath>

#include "src/ops/arguments.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/number_range.h"
#include "src/ops/samples.h"
#include "src/reference/elementwise.h"

namespace sinter {

Tensor masked_fill(Operand x, Operand mask, Operand value) {
  if (!value.is_tensor() && x.is_tensor() && x.tensor().defined())  // here as well: promoted numbers, on every call
    ops::check_fits("masked_fill", ops::number_of(value), x.tensor().dtype(), x.line());
  return ops::dispatch(ops::op<"masked_fill">(), {&x, &mask, &value}, ops::number_attributes({&value}));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

/// The value alone: x and the mask are operands 0 and 1.
Argument value_argument(graph::AttributeReader attributes) { return read_arguments(attributes, 1, 2).front(); }

std::vector<graph::ValueType> infer_masked_fill(graph::InferContext& context) {
  const DType dtype = context.operand(0).dtype;
  if (!context.operand(1).dtype.is_boolean())
    context.fail(fmt::format("expected a boolean mask, got {}", describe(context.operand(1))),
                 "compare it with something, such as mask != 0");
  const Argument value = value_argument(context.attributes());
  if (value.is_number())
    check_fits(context, value.number, dtype);
  else if (context.operand(2).rank() != 0)
    context.fail(fmt::format("expected a number or a 0-d tensor for the value, got {}", describe(context.operand(2))),
                 "use where(mask, value, x)");
  return {{dtype, context.broadcast_operands()}};
}

loop::Value lower_masked_fill(loop::Reader& reader, std::span<const graph::Expr> index) {
  const Argument value = value_argument(reader.attributes());
  const loop::Value mask = reader.read_broadcast(1, index), x = reader.read_broadcast(0, index);
  return reader.builder().select(
      mask, argument_value(reader, value, index, reader.result_type().dtype, NumberUse::rounded), x);
}

std::vector<graph::SampleCall> sample_masked_fill() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto tensor = graph::CallAttributes().flag(false);
  const auto number = [](Number n) { return graph::CallAttributes().flag(true).number(n); };
  for (const DType t : all_dtypes) {
    for (const Number n : {Number::of(true), Number::of(3), Number::of(0.3)})
      list.push_back(sample_call({sample_type(t, {17}), sample_type(boolean, {17})}, number(n)));
    list.push_back(sample_call({sample_type(t, {2, 5}), sample_type(boolean, {5}), sample_type(f32, {})}, tensor));
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{1023}, Dims{3, 1, 7}})
    list.push_back(sample_call({sample_type(f16, shape), sample_type(boolean, {1})}, number(Number::of(-0.5))));
  list.push_back(
      sample_call({sample_type(bf16, {1, 16}), sample_type(boolean, {3, 1})}, number(Number::of(-INFINITY))));
  list.push_back(sample_call({sample_type(u8, {7}), sample_type(boolean, {7}), sample_type(i64, {})}, tensor));
  return list;
}

}  // namespace

void register_masked_fill() {
  graph::OpDef def;
  def.name = "masked_fill";
  def.doc = "x with a value, converted to the dtype of x, where the boolean mask holds.";
  def.op_class = graph::OpClass::pointwise;
  def.min_operands = 2;
  def.max_operands = 3;
  def.params = {{"value", graph::ParamKind::optional_number}};
  def.infer = infer_masked_fill;
  def.lower = lower_masked_fill;
  def.reference = reference::elementwise;
  def.sample = sample_list(sample_masked_fill);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
