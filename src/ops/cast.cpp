// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/loop/reader.h"
#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/reference/elementwise.h"

namespace sinter {

Tensor to(Operand x, DType dtype) { return ops::dispatch(ops::op<"to">(), {&x}, graph::CallAttributes().dtype(dtype)); }

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_to(graph::InferContext& context) {
  return {{context.attributes().dtype(), context.operand(0).shape}};
}

loop::Value lower_to(loop::Reader& reader, std::span<const graph::Expr> index) {
  return convert_value(reader.builder(), reader.read(0, index), reader.operand_type(0).dtype,
                       reader.result_type().dtype);
}

std::vector<graph::SampleCall> sample_to() {
  std::vector<graph::SampleCall> list;
  for (const DType from : all_dtypes)
    for (const DType to : all_dtypes)
      list.push_back(sample_call({sample_type(from, {17})}, graph::CallAttributes().dtype(to), -400, 400));
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{2, 3, 7}, Dims{1023}})
    list.push_back(sample_call({sample_type(f32, shape)}, graph::CallAttributes().dtype(u8), -400, 400));
  return list;
}

}  // namespace

void register_cast() {
  graph::OpDef def;
  def.name = "to";
  def.doc =
      "Converts to a dtype: floating to integer drops the fraction and saturates, NaN gives 0; integers wrap; boolean "
      "is "
      "x != 0.";
  def.op_class = graph::OpClass::pointwise;
  def.params = {{"dtype", graph::ParamKind::dtype}};
  def.infer = infer_to;
  def.lower = lower_to;
  def.reference = reference::elementwise;
  def.sample = sample_list(sample_to);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
