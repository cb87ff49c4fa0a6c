// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/image.h>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes crop_attributes(const image::Rectangle& r) {
  return graph::CallAttributes().extent(r.top).extent(r.left).extent(r.height).extent(r.width);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter::image {

Tensor crop(Operand image, Rectangle part) {
  return ops::dispatch(ops::op<"image_crop">(), {&image}, ops::crop_attributes(part));
}

}  // namespace sinter::image

namespace sinter::ops {
namespace {

/// For symbols, lying inside becomes an assumption.
bool lies_inside(graph::InferContext& context, Expr begin, Expr length, Expr extent) {
  const Expr end = begin + length;
  return begin.constant().value_or(0) >= 0 && length.constant().value_or(0) >= 0 &&
         context.same_extent(simplify_extent(min(end, extent)), simplify_extent(end));
}

std::vector<graph::ValueType> infer_crop(graph::InferContext& context) {
  graph::ValueType result = context.operand(0);
  if (result.rank() != 3 && result.rank() != 4)
    context.fail(fmt::format("expected an image [H,W,C] or [N,H,W,C], got {}", describe(result)));
  graph::AttributeReader attributes = context.attributes();
  const Expr top = attributes.extent(), left = attributes.extent();
  const Expr height = attributes.extent(), width = attributes.extent();
  const size_t y = result.shape.size() - 3, x = y + 1;
  if (!lies_inside(context, top, height, result.shape[y]) || !lies_inside(context, left, width, result.shape[x]))
    context.fail(fmt::format("rows {} to {} and columns {} to {} are not all inside {}", top.text(),
                             (top + height).text(), left.text(), (left + width).text(), describe(result)),
                 "pad() the image first, or use crop_resize(), which has borders");
  result.shape[y] = height;
  result.shape[x] = width;
  return {result};
}

std::vector<Expr> source_of_crop(ViewContext context, std::span<const Expr> index) {
  std::vector<Expr> source(index.begin(), index.end());
  source[index.size() - 3] = source[index.size() - 3] + context.attributes.extent();
  source[index.size() - 2] = source[index.size() - 2] + context.attributes.extent();
  return source;
}

Dims reference_crop(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  Dims source = index;
  source[index.size() - 3] += literal_extent(attributes.extent());
  source[index.size() - 2] += literal_extent(attributes.extent());
  return source;
}

std::vector<graph::SampleCall> sample_crop() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const image::Rectangle& part) {
    list.push_back(sample_call({sample_type(t, shape)}, crop_attributes(part), 0, 255));
  };
  for (const DType t : all_dtypes) add(t, {16, 17, 3}, {2, 3, 7, 5});
  add(u8, {2, 7, 16, 1}, {0, 0, 7, 16});
  add(f32, {2, 7, 16, 4}, {6, 15, 1, 1});
  add(u8, {7, 7, 3}, {7, 2, 0, 3});
  return list;
}

}  // namespace

void register_image_crop() {
  const auto extent = graph::ParamKind::extent;
  graph::register_op(view_op({"image_crop",
                              "A part of an image [H,W,C] or [N,H,W,C], inside it.",
                              {{"top", extent}, {"left", extent}, {"height", extent}, {"width", extent}},
                              infer_crop,
                              source_of_crop,
                              reference_crop,
                              sample_crop}));
}

}  // namespace sinter::ops
