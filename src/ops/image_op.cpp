// SPDX-License-Identifier: Apache-2.0
#include "src/ops/image_op.h"

#include <fmt/format.h>

#include "src/ops/describe.h"

namespace sinter::ops {

graph::CallAttributes sampling_attributes(image::Size size, image::Filter filter, image::Border border,
                                          double border_value) {
  return graph::CallAttributes()
      .extent(size.height)
      .extent(size.width)
      .enumeration(filter)
      .enumeration(border)
      .number(graph::Number::of(border_value));
}

SamplingAttributes read_sampling(graph::AttributeReader attributes) {
  SamplingAttributes a;
  a.height = attributes.extent();
  a.width = attributes.extent();
  a.filter = attributes.enumeration<image::Filter>();
  a.border = attributes.enumeration<image::Border>();
  a.border_value = &attributes.number();
  return a;
}

SamplingAttributes checked_sampling(const graph::InferContext& context) {
  const graph::ValueType& image = context.operand(0);
  if (image.dtype != u8 && image.dtype != f16 && image.dtype != bf16 && image.dtype != f32)
    context.fail(fmt::format("expected an image of u8, f16, bf16 or f32, got {}", describe(image)),
                 "cast it with to(t, f32)");
  const SamplingAttributes a = read_sampling(context.attributes());
  if (a.height.constant().value_or(1) < 1 || a.width.constant().value_or(1) < 1)
    context.fail(fmt::format("the size {} x {} is empty", a.height.text(), a.width.text()),
                 "give a height and a width of at least 1");
  const size_t y = image.shape.size() - 3;
  if (image.shape[y].is_constant(0) || image.shape[y + 1].is_constant(0))
    context.fail(fmt::format("{} has no pixels to sample", describe(image)), "check the image before it gets here");
  return a;
}

graph::OpDef sampling_op(std::string_view name, std::string_view doc) {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.params = {{"height", Kind::extent},
                {"width", Kind::extent},
                {"filter", Kind::enumeration, {"nearest", "linear"}},
                {"border", Kind::enumeration, {"constant", "replicate"}},
                {"border_value", Kind::number}};
  return def;
}

}  // namespace sinter::ops
