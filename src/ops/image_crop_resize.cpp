// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/image_op.h"
#include "src/ops/image_reference.h"
#include "src/ops/samples.h"
#include "src/ops/sampling.h"

namespace sinter::image {

Tensor crop_resize(Operand frame, Operand boxes, Size size, CropResizeOptions options) {
  return ops::dispatch(ops::op<"image_crop_resize">(), {&frame, &boxes},
                       ops::sampling_attributes(size, options.filter, options.border, options.border_value));
}

}  // namespace sinter::image

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_crop_resize(graph::InferContext& context) {
  const graph::ValueType& frame = context.operand(0);
  const graph::ValueType& boxes = context.operand(1);
  if (frame.rank() != 3) context.fail(fmt::format("expected a frame [H,W,C], got {}", describe(frame)));
  if (boxes.dtype != f32 || boxes.rank() != 2 || !context.same_extent(boxes.shape[1], Expr(4)))
    context.fail(fmt::format("expected boxes f32 [N,4], got {}", describe(boxes)),
                 "give x0, y0, x1, y1 in pixels for each box");
  const SamplingAttributes a = checked_sampling(context);
  return {{frame.dtype, {boxes.shape[0], a.height, a.width, frame.shape[2]}}};
}

loop::Value lower_crop_resize(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const SamplingAttributes a = read_sampling(reader.attributes());
  const auto& frame = reader.operand_type(0).shape;
  const auto side = [&](int64_t i) { return reader.read(1, std::vector<Expr>{index[0], Expr(i)}); };
  const Taps y = window_taps(b, index[1], side(1), side(3), frame[0], a.height, a.filter, a.border);
  const Taps x = window_taps(b, index[2], side(0), side(2), frame[1], a.width, a.filter, a.border);
  return sample(reader, y, x, a.filter, *a.border_value,
                [&](Expr v, Expr u) { return std::vector<Expr>{v, u, index[3]}; });
}

/// Boxes are sampled from the range of operand values: inside, partly outside and inverted ones.
std::vector<graph::SampleCall> sample_crop_resize() {
  using image::Border;
  using image::Filter;
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& frame, int64_t boxes, image::Size size, Filter filter, Border border,
                       double value) {
    list.push_back(sample_call({sample_type(t, frame), sample_type(f32, {boxes, 4})},
                               sampling_attributes(size, filter, border, value), -3, 20));
  };
  for (const DType t : {u8, f16, bf16, f32})
    for (const Filter filter : {Filter::nearest, Filter::linear})
      for (const Border border : {Border::constant, Border::replicate})
        add(t, {16, 17, 3}, 7, {5, 7}, filter, border, 114);
  add(u8, {16, 17, 3}, 0, {4, 4}, Filter::linear, Border::constant, 0);
  add(u8, {1, 1, 1}, 2, {16, 17}, Filter::linear, Border::constant, -5);
  add(f32, {7, 7, 4}, 1, {1, 1}, Filter::linear, Border::replicate, 0);
  return list;
}

}  // namespace

void register_image_crop_resize() {
  graph::OpDef def =
      sampling_op("image_crop_resize", "Boxes of a frame, all at one size: half-pixel centres, nearest or linear.");
  def.min_operands = def.max_operands = 2;
  def.infer = infer_crop_resize;
  def.lower = lower_crop_resize;
  def.reference = reference_crop_resize;
  def.sample = sample_list(sample_crop_resize);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
