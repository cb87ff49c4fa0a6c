// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/indexing.h>

#include "src/loop/reader.h"
#include "src/ops/checked_position.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter {

Tensor one_hot(Operand classes, int64_t num_classes) {
  return ops::dispatch(ops::op<"one_hot">(), {&classes}, graph::CallAttributes().extent(num_classes));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_one_hot(graph::InferContext& context) {
  graph::ValueType result = context.operand(0);
  const Expr count = context.attributes().extent();
  if (result.dtype != i64)
    context.fail(fmt::format("expected classes of i64, got {}", describe(result)), "cast them with to(classes, i64)");
  if (count.constant().value_or(1) < 1)
    context.fail(fmt::format("num_classes {}; expected 1 or more", count.text()),
                 "give the number of classes; it is never taken from the data");
  result.shape.push_back(count);
  return {result};
}

loop::Value lower_one_hot(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const loop::Value loaded = reader.read(0, index.first(index.size() - 1));
  const Expr position = checked_position(b, loaded, reader.attributes().extent());
  const loop::Value hot = b.eq(b.body().index_value(position, i64), b.body().index_value(index.back(), i64));
  return b.convert(hot, i64);
}

Source source_of_one_hot(const ReferenceContext& context, const Dims& index) {
  const int64_t position =
      checked_element(context, 0, Dims(index.span().first(index.size() - 1)), context.result_shape[index.size() - 1]);
  return {-1, {}, scalar::constant_int(i64, position == index.back())};
}

std::vector<graph::SampleCall> sample_one_hot() {
  std::vector<graph::SampleCall> list;
  // Values in [0, 2.9] are classes where there are three or more.
  for (const auto& [shape, count] : {std::pair<Dims, int64_t>{{}, 3},
                                     {{5}, 3},
                                     {{17}, 16},
                                     {{2, 3, 5}, 7},
                                     {{0}, 3},
                                     {{3, 0}, 1},
                                     {{7}, 1023},
                                     {{300}, 4}})
    list.push_back(sample_call({sample_type(i64, shape)}, graph::CallAttributes().extent(count), 0, 2.9));
  list.push_back(sample_call({sample_type(i64, {7})}, graph::CallAttributes().extent(1), 0, 0.9));
  return list;
}

}  // namespace

void register_one_hot() {
  graph::OpDef def;
  def.name = "one_hot";
  def.doc = "For each class its row of the identity matrix; classes outside [0, num_classes) are errors.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"num_classes", graph::ParamKind::extent}};
  def.infer = infer_one_hot;
  def.lower = lower_one_hot;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_one_hot)};
  };
  def.sample = sample_list(sample_one_hot);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
