// SPDX-License-Identifier: Apache-2.0
#include <sinter/creation.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// The dtype is the operand's unless one is given.
graph::CallAttributes full_like_attributes(graph::Number value, std::optional<DType> dtype) {
  return graph::CallAttributes().flag(dtype.has_value()).dtype(dtype.value_or(f32)).number(value);
}

/// The check stands here as well, since a promoted number must be checked on every call; the dtype of x, which costs
/// time to find out for a recorded tensor, is asked for only where it matters.
Tensor filled_like(Operand& x, graph::Number value, std::optional<DType> dtype) {
  if (!fits(value, u8) || !fits(value, i8))
    check_fits("full_like", value, dtype ? *dtype : require_tensor(x, "full_like").dtype(), x.line());
  return dispatch(op<"full_like">(), {&x}, full_like_attributes(value, dtype));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor full_like(Operand x, Operand value, std::optional<DType> dtype) {
  ops::require_number(value, "full_like");
  return ops::filled_like(x, ops::number_of(value), dtype);
}
Tensor zeros_like(Operand x, std::optional<DType> dtype) { return ops::filled_like(x, graph::Number::of(0), dtype); }
Tensor ones_like(Operand x, std::optional<DType> dtype) { return ops::filled_like(x, graph::Number::of(1), dtype); }
Tensor empty(const Dims& shape, DType dtype, Device device, SourceLine line) {
  return zeros(shape, dtype, device, line);
}
Tensor empty_like(Operand x, std::optional<DType> dtype) { return ops::filled_like(x, graph::Number::of(0), dtype); }

}  // namespace sinter

namespace sinter::ops {
namespace {

DType filled_dtype(graph::AttributeReader& attributes, DType operand) {
  const bool given = attributes.flag();
  const DType dtype = attributes.dtype();
  return given ? dtype : operand;
}

std::vector<graph::ValueType> infer_full_like(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  result.dtype = filled_dtype(attributes, result.dtype);
  check_fits(context, attributes.number(), result.dtype);
  return {result};
}

/// full() of the operand's extents, whatever they are; the operand itself is not read.
std::vector<graph::Value> decompose_full_like(graph::Graph& g, const graph::Node& node) {
  const graph::ValueType type = node.results[0];
  graph::Attributes attributes;
  attributes.words = {static_cast<int64_t>(type.shape.size())};
  for (const graph::Expr e : type.shape) attributes.scalars.push_back({graph::Number::of(0), -1, e, true});
  attributes.scalars.push_back(node.attributes.scalars[0]);
  attributes.words.push_back(graph::word_of(type.dtype));
  attributes.words.push_back(graph::word_of(g.device));
  return {{g.add(op<"full">(), {}, std::move(attributes), node.line), 0}};
}

Source source_of_full_like(const ReferenceContext& context, const Dims&) {
  graph::AttributeReader attributes = context.attributes();
  filled_dtype(attributes, f32);
  return {-1, {}, literal_number(attributes.number(), context.node.results[0].dtype)};
}

std::vector<graph::SampleCall> sample_full_like() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, Number value, std::optional<DType> dtype = std::nullopt) {
    list.push_back(sample_call({sample_type(t, shape)}, full_like_attributes(value, dtype)));
  };
  for (const DType t : all_dtypes) add(t, {3, 5}, Number::of(2.7));
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{1023}, Dims{16, 1, 17}}) add(bf16, shape, Number::of(-0.3));
  for (const DType t : {boolean, u8, i64, f16, f64}) add(f32, {7}, Number::of(3), t);
  return list;
}

}  // namespace

void register_full_like() {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = "full_like";
  def.doc = "Every element is one number; shape and, unless given, dtype are the operand's.";
  def.op_class = graph::OpClass::pointwise;
  def.params = {{"given", Kind::flag}, {"dtype", Kind::dtype}, {"value", Kind::number}};
  def.infer = infer_full_like;
  def.decompose = decompose_full_like;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_full_like)};
  };
  def.sample = sample_list(sample_full_like);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
