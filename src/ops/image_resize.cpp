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

Tensor resize(Operand image, Size size, ResizeOptions options) {
  return ops::dispatch(ops::op<"image_resize">(), {&image},
                       ops::sampling_attributes(size, options.filter, options.border, options.border_value));
}

}  // namespace sinter::image

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_resize(graph::InferContext& context) {
  graph::ValueType result = context.operand(0);
  if (result.rank() != 3 && result.rank() != 4)
    context.fail(fmt::format("expected an image [H,W,C] or [N,H,W,C], got {}", describe(result)));
  const SamplingAttributes a = checked_sampling(context);
  const size_t y = result.shape.size() - 3;
  result.shape[y] = a.height;
  result.shape[y + 1] = a.width;
  return {result};
}

loop::Value lower_resize(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const SamplingAttributes a = read_sampling(reader.attributes());
  const auto& shape = reader.operand_type(0).shape;
  const size_t row = index.size() - 3, column = row + 1;
  const Taps y = resize_taps(b, index[row], shape[row], a.height, a.filter, a.border);
  const Taps x = resize_taps(b, index[column], shape[column], a.width, a.filter, a.border);
  return sample(reader, y, x, a.filter, *a.border_value, [&](Expr v, Expr u) {
    std::vector<Expr> source(index.begin(), index.end());
    source[row] = v;
    source[column] = u;
    return source;
  });
}

std::vector<graph::SampleCall> sample_resize() {
  using image::Border;
  using image::Filter;
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, image::Size size, Filter filter, Border border, double value) {
    list.push_back(sample_call({sample_type(t, shape)}, sampling_attributes(size, filter, border, value), 0, 255));
  };
  for (const DType t : {u8, f16, bf16, f32})
    for (const Filter filter : {Filter::nearest, Filter::linear})
      for (const Border border : {Border::constant, Border::replicate}) {
        add(t, {7, 16, 3}, {16, 7}, filter, border, 114);
        add(t, {2, 17, 5, 1}, {5, 17}, filter, border, 0.3);
      }
  add(u8, {1, 1, 3}, {7, 7}, Filter::linear, Border::replicate, 0);
  add(u8, {7, 7, 3}, {1, 1}, Filter::linear, Border::constant, 0);
  add(f32, {16, 16, 1}, {16, 16}, Filter::linear, Border::constant, 300);
  add(u8, {2, 2, 3}, {5, 5}, Filter::linear, Border::constant, 300);
  add(u8, {0, 4, 4, 3}, {2, 2}, Filter::linear, Border::replicate, 0);
  add(f32, {3, 1023, 1}, {2, 480}, Filter::nearest, Border::replicate, 0);
  return list;
}

}  // namespace

void register_image_resize() {
  graph::OpDef def = sampling_op("image_resize", "An image at another size: half-pixel centres, nearest or linear.");
  def.infer = infer_resize;
  def.lower = lower_resize;
  def.reference = reference_resize;
  def.sample = sample_list(sample_resize);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
