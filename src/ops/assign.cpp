// SPDX-License-Identifier: Apache-2.0
#include "src/ops/assign.h"

#include <fmt/format.h>
#include <sinter/in_place.h>

#include "src/ops/arguments.h"
#include "src/ops/convert.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/number_range.h"
#include "src/ops/pointwise.h"
#include "src/ops/samples.h"
#include "src/reference/elementwise.h"

namespace sinter::ops {

void write(Operand& destination, Operand& value, AssignMode mode) {
  require_tensor(destination, "assign");
  if (!value.is_tensor()) {  // a promoted number is checked on every call; the dtype is asked for where it matters
    const graph::Number n = number_of(value);
    if (!fits(n, u8) || !fits(n, i8)) check_fits("assign", n, destination.tensor().dtype(), destination.line());
  }
  dispatch_write(op<"assign">(), {&destination, &value}, number_attributes({&value}).enumeration(mode));
}

}  // namespace sinter::ops

namespace sinter {

Tensor assign(Operand destination, Operand value) {
  Tensor result = ops::require_tensor(destination, "assign");
  ops::write(destination, value, ops::AssignMode::copy);
  return result;
}

Tensor into(Operand out, Operand value) {
  Tensor result = ops::require_tensor(out, "into");
  ops::require_tensor(value, "into");
  ops::write(out, value, ops::AssignMode::exact);
  return result;
}

Tensor clone(Operand x) { return ops::pointwise<"clone">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

Argument assigned_value(graph::AttributeReader& attributes) { return read_arguments(attributes, 1, 1).front(); }

int category(DType t) { return t.is_boolean() ? 0 : t.is_integer() ? 1 : 2; }

void check_value(graph::InferContext& context, AssignMode mode) {
  const graph::ValueType &to = context.operand(0), &value = context.operand(1);
  if (mode == AssignMode::computed && category(value.dtype) > category(to.dtype))
    context.fail(
        fmt::format("the result is {}, which does not become {} in place", value.dtype.name(), to.dtype.name()),
        fmt::format("use the op that gives a new tensor, or convert: copy_(x, to(y, {}))", to.dtype.name()));
  bool fits = value.rank() <= to.rank() && (mode != AssignMode::exact || value.rank() == to.rank());
  const size_t leading = fits ? to.shape.size() - value.shape.size() : 0;
  for (size_t d = 0; fits && d < value.shape.size(); ++d) {
    const bool stretches = mode != AssignMode::exact && value.shape[d].is_constant(1);
    fits = stretches || context.same_extent(value.shape[d], to.shape[leading + d]);
  }
  if (mode == AssignMode::exact && (!fits || value.dtype != to.dtype))
    context.fail(fmt::format("the buffer is {}, the value {}", describe(to), describe(value)),
                 "give a buffer of the value's shape and dtype; copy_() broadcasts and converts");
  if (!fits)
    context.fail(fmt::format("{} does not broadcast to the destination {}", describe(value), describe(to)),
                 "dims are those of the destination, or 1, or missing in front");
}

std::vector<graph::ValueType> infer_assign(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Argument value = assigned_value(attributes);
  if (value.is_number())
    check_fits(context, value.number, context.operand(0).dtype);
  else
    check_value(context, attributes.enumeration<AssignMode>());
  return {context.operand(0)};
}

loop::Value lower_assign(loop::Reader& reader, std::span<const Expr> index) {
  graph::AttributeReader attributes = reader.attributes();
  const DType to = reader.result_type().dtype;
  const Argument value = assigned_value(attributes);
  if (value.is_number()) return argument_value(reader, value, index, to, NumberUse::rounded);
  return convert_value(reader.builder(), reader.read_broadcast(1, index), reader.operand_type(1).dtype, to);
}

std::vector<graph::SampleCall> sample_assign() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto mode = [](AssignMode m) { return graph::CallAttributes().flag(false).enumeration(m); };
  const auto add = [&](DType to, const Dims& shape, DType from, const Dims& value, AssignMode m) {
    list.push_back(sample_call({sample_type(to, shape), sample_type(from, value)}, mode(m), -400, 400));
  };
  for (const DType t : all_dtypes) {
    add(t, {17}, t, {17}, AssignMode::exact);
    add(t, {2, 5}, f32, {5}, AssignMode::copy);
    add(f16, {3, 1}, t, {}, AssignMode::computed);
    list.push_back(sample_call({sample_type(t, {7})},
                               graph::CallAttributes().flag(true).number(Number::of(3)).enumeration(AssignMode::copy)));
  }
  for (const auto& [to, from] :
       {std::pair<Dims, Dims>{{}, {}}, {{0}, {1}}, {{0, 3}, {3}}, {{1023}, {1}}, {{2, 3, 7}, {3, 1}}})
    add(f32, to, bf16, from, AssignMode::copy);
  return list;
}

}  // namespace

void register_assign() {
  graph::OpDef def;
  def.name = "assign";
  def.doc = "A tensor with all elements replaced by a value, broadcast and converted to its dtype.";
  def.op_class = graph::OpClass::pointwise;
  def.min_operands = 1;
  def.max_operands = 2;
  def.params = {{"value", graph::ParamKind::optional_number},
                {"mode", graph::ParamKind::enumeration, {"copy", "computed", "exact"}}};
  def.write_role = graph::WriteRole::assign;
  def.infer = infer_assign;
  def.lower = lower_assign;
  def.reference = reference::elementwise;
  def.sample = sample_list(sample_assign);
  graph::register_op(std::move(def));
  graph::register_op(pointwise_op(
      {.name = "clone",
       .doc = "A copy in memory of its own.",
       .types = keeps_dtype,
       .compute = [](loop::Builder&, std::span<const loop::Value> v, DType, graph::AttributeReader) { return v[0]; }}));
}

}  // namespace sinter::ops
