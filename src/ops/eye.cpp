// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

graph::CallAttributes eye_attributes(int64_t rows, int64_t columns, DType dtype, Device device) {
  return graph::CallAttributes().extent(rows).extent(columns).dtype(dtype).device(device);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor eye(int64_t rows, std::optional<int64_t> columns, DType dtype, Device device, SourceLine line) {
  return ops::dispatch_creation(ops::op<"eye">(), ops::eye_attributes(rows, columns.value_or(rows), dtype, device),
                                line);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

std::vector<graph::ValueType> infer_eye(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Expr rows = attributes.extent(), columns = attributes.extent();
  for (const Expr e : {rows, columns})
    if (e.constant().value_or(0) < 0) context.fail(fmt::format("extent {} is negative", e.text()));
  return {{attributes.dtype(), {rows, columns}}};
}

loop::Value lower_eye(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const graph::ValueType& result = reader.result_type();
  const DType t = index_type(result.shape[0] + result.shape[1]);
  const loop::Value on = b.eq(b.body().index_value(index[0], t), b.body().index_value(index[1], t));
  return b.convert(on, scalar::compute_type(result.dtype));
}

Source source_of_eye(const ReferenceContext& context, const Dims& index) {
  return {-1, {}, scalar::constant_int(scalar::compute_type(context.node.results[0].dtype), index[0] == index[1])};
}

std::vector<graph::SampleCall> sample_eye() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(sample_call({}, eye_attributes(5, 7, t, Device::cpu())));
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{16, 16}, {17, 3}, {0, 3}, {3, 0}, {1, 1}, {1, 1023}, {33, 31}})
    list.push_back(sample_call({}, eye_attributes(rows, columns, f32, Device::cpu())));
  return list;
}

}  // namespace

void register_eye() {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = "eye";
  def.doc = "A matrix with ones on its main diagonal and zeros elsewhere.";
  def.op_class = graph::OpClass::creation;
  def.min_operands = def.max_operands = 0;
  def.params = {{"rows", Kind::extent}, {"columns", Kind::extent}, {"dtype", Kind::dtype}, {"device", Kind::device}};
  def.infer = infer_eye;
  def.lower = lower_eye;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_eye)};
  };
  def.sample = sample_list(sample_eye);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
