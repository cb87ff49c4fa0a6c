// SPDX-License-Identifier: Apache-2.0
#include <sinter/creation.h>

#include "src/loop/reader.h"
#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/promotion.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

graph::CallAttributes full_attributes(const Dims& shape, graph::Number value, DType dtype, Device device) {
  return graph::CallAttributes().extents(shape).number(value).dtype(dtype).device(device);
}

Tensor filled(const Dims& shape, graph::Number value, DType dtype, Device device, SourceLine line) {
  check_fits("full", value, dtype, line);  // here as well: a promoted number is checked on every call
  return dispatch_creation(op<"full">(), full_attributes(shape, value, dtype, device), line);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor full(const Dims& shape, Operand value, std::optional<DType> dtype, Device device) {
  ops::require_number(value, "full");
  const graph::Number number = ops::number_of(value);
  return ops::filled(shape, number, dtype.value_or(ops::number_dtype(number.kind)), device, value.line());
}
Tensor zeros(const Dims& shape, DType dtype, Device device, SourceLine line) {
  return ops::filled(shape, graph::Number::of(0), dtype, device, line);
}
Tensor ones(const Dims& shape, DType dtype, Device device, SourceLine line) {
  return ops::filled(shape, graph::Number::of(1), dtype, device, line);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

Types infer_full(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result{f32, attributes.extents()};
  for (const graph::Expr& extent : result.shape)
    if (extent.constant().value_or(0) < 0) context.fail("extent " + extent.text() + " is negative");
  const graph::Scalar& value = attributes.number();
  result.dtype = attributes.dtype();
  check_fits(context, value, result.dtype);
  return {result};
}

loop::Value lower_full(loop::Reader& reader, std::span<const graph::Expr>) {
  graph::AttributeReader attributes = reader.attributes();
  attributes.extents();
  const DType dtype = reader.result_type().dtype;
  return reader.builder().round_to(reader.number(attributes.number(), scalar::compute_type(dtype)), dtype);
}

Source source_of_full(const ReferenceContext& context, const Dims&) {
  graph::AttributeReader attributes = context.attributes();
  attributes.extents();
  return {-1, {}, literal_number(attributes.number(), context.node.results[0].dtype)};
}

std::vector<graph::SampleCall> sample_full() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto add = [&](const Dims& shape, Number value, DType dtype) {
    list.push_back(sample_call({}, full_attributes(shape, value, dtype, Device::cpu())));
  };
  for (const DType t : all_dtypes)
    for (const Number n : {Number::of(1), Number::of(2.7), Number::of(true), Number::of(0)}) add({3, 5}, n, t);
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{1023}, Dims{16, 1, 17}}) add(shape, Number::of(-0.3), bf16);
  return list;
}

/// An extent as a tensor: what a mean divides by where it is not a literal.
Types infer_from_extent(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  attributes.extent();
  return {{attributes.dtype(), {}}};
}

loop::Value lower_from_extent(loop::Reader& reader, std::span<const graph::Expr>) {
  loop::Builder& b = reader.builder();
  const loop::Value extent = b.body().index_value(reader.attributes().extent(), i64);
  return convert_value(b, extent, i64, reader.result_type().dtype);
}

Source source_of_from_extent(const ReferenceContext& context, const Dims&) {
  const graph::Number extent = graph::Number::of(literal_extent(context.attributes().extent()));
  return {-1, {}, literal_number({extent, -1, {}, false}, context.node.results[0].dtype)};
}

std::vector<graph::SampleCall> sample_from_extent() {
  std::vector<graph::SampleCall> list;
  for (const DType t : {i32, i64, f16, f32, f64})
    for (const int64_t n : {0, 1, 7, 1023}) list.push_back(sample_call({}, graph::CallAttributes().extent(n).dtype(t)));
  return list;
}

graph::OpDef creation_op(std::string_view name, std::string_view doc, std::vector<graph::Param> params,
                         Types (*infer)(graph::InferContext&),
                         loop::Value (*lower)(loop::Reader&, std::span<const graph::Expr>),
                         Source (*source)(const ReferenceContext&, const Dims&),
                         std::vector<graph::SampleCall> (*samples)()) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::creation;
  def.min_operands = def.max_operands = 0;
  def.params = std::move(params);
  def.infer = infer;
  def.lower = lower;
  def.reference = [source](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source)};
  };
  def.sample = sample_list(samples);
  return def;
}

}  // namespace

void register_creation() {
  using Kind = graph::ParamKind;
  graph::register_op(
      creation_op("full", "Every element is one number.",
                  {{"shape", Kind::extents}, {"value", Kind::number}, {"dtype", Kind::dtype}, {"device", Kind::device}},
                  infer_full, lower_full, source_of_full, sample_full));
  graph::register_op(creation_op("from_extent", "An extent as a 0-d tensor.",
                                 {{"extent", Kind::extent}, {"dtype", Kind::dtype}}, infer_from_extent,
                                 lower_from_extent, source_of_from_extent, sample_from_extent));
}

}  // namespace sinter::ops
