// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/pointwise.h>

#include "src/ops/arguments.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/reference/elementwise.h"

namespace sinter {

Tensor where(Operand condition, Operand a, Operand b) {
  return ops::dispatch(ops::op<"where">(), {&condition, &a, &b}, ops::number_attributes({&a, &b}));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_where(graph::InferContext& context) {
  const graph::ValueType& condition = context.operand(0);
  if (!condition.dtype.is_boolean())
    context.fail(fmt::format("expected a boolean condition, got {}", describe(condition)),
                 "compare it with something, such as condition != 0");
  graph::AttributeReader attributes = context.attributes();
  const auto types = argument_types(read_arguments(attributes, 2, 1),
                                    [&](size_t i) -> const graph::ValueType& { return context.operand(i); });
  return {{common_dtype(context, types), context.broadcast_operands()}};
}

loop::Value lower_where(loop::Reader& reader, std::span<const graph::Expr> index) {
  graph::AttributeReader attributes = reader.attributes();
  const auto arguments = read_arguments(attributes, 2, 1);
  const DType result = reader.result_type().dtype;
  const loop::Value condition = reader.read_broadcast(0, index);
  const loop::Value a = argument_value(reader, arguments[0], index, result, NumberUse::rounded);
  const loop::Value b = argument_value(reader, arguments[1], index, result, NumberUse::rounded);
  return reader.builder().select(condition, a, b);
}

std::vector<graph::SampleCall> sample_where() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto both = graph::CallAttributes().flag(false).flag(false);
  for (const DType t : all_dtypes)
    list.push_back(sample_call({sample_type(boolean, {17}), sample_type(t, {17}), sample_type(t, {17})}, both));
  for (const DType t : {u8, i64, f16, f64}) {
    list.push_back(sample_call({sample_type(boolean, {3, 1}), sample_type(t, {16}), sample_type(f32, {})}, both));
    for (const Number n : {Number::of(true), Number::of(3), Number::of(0.3)}) {
      const auto left = graph::CallAttributes().flag(true).number(n).flag(false);
      const auto right = graph::CallAttributes().flag(false).flag(true).number(n);
      list.push_back(sample_call({sample_type(boolean, {7}), sample_type(t, {2, 1})}, left));
      list.push_back(sample_call({sample_type(boolean, {}), sample_type(t, {1023})}, right));
    }
  }
  const auto numbers = graph::CallAttributes().flag(true).number(Number::of(1)).flag(true).number(Number::of(-0.5));
  list.push_back(sample_call({sample_type(boolean, {16})}, numbers));
  list.push_back(sample_call({sample_type(boolean, {0}), sample_type(f32, {1}), sample_type(i8, {})}, both));
  return list;
}

}  // namespace

void register_where() {
  graph::OpDef def;
  def.name = "where";
  def.doc = "a where the boolean condition holds, else b.";
  def.op_class = graph::OpClass::pointwise;
  def.min_operands = 1;
  def.max_operands = 3;
  def.params = {{"lhs", graph::ParamKind::optional_number}, {"rhs", graph::ParamKind::optional_number}};
  def.infer = infer_where;
  def.lower = lower_where;
  def.reference = reference::elementwise;
  def.sample = sample_list(sample_where);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
