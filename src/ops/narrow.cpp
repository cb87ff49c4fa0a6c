// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes narrow_attributes(int64_t dim, int64_t start, int64_t length) {
  return graph::CallAttributes().integer(dim).extent(start).extent(length);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor narrow(Operand x, int64_t dim, int64_t start, int64_t length) {
  return ops::dispatch(ops::op<"narrow">(), {&x}, ops::narrow_attributes(dim, start, length));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

Expr counted_from_start(Expr start, Expr extent) { return start.constant().value_or(0) < 0 ? extent + start : start; }

std::vector<graph::ValueType> infer_narrow(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  if (result.rank() == 0) context.fail("a 0-d tensor has no dim to narrow", "unsqueeze it first");
  const auto dim = static_cast<size_t>(context.dim(attributes.integer(), result.rank()));
  const Expr given = attributes.extent(), length = attributes.extent(), extent = result.shape[dim];
  if (length.constant().value_or(0) < 0) context.fail(fmt::format("length {} is negative", length.text()));
  const Expr start = counted_from_start(given, extent), end = start + length;
  if (!context.same_extent(simplify_extent(max(start, 0)), simplify_extent(start)) ||
      !context.same_extent(simplify_extent(min(end, extent)), simplify_extent(end)))
    context.fail(fmt::format("{} elements from {} on are not all inside dim {} of {}", length.text(), given.text(), dim,
                             describe(result)),
                 fmt::format("start + length is {} at most; slice() clamps its bounds", extent.text()));
  result.shape[dim] = length;
  return {result};
}

std::vector<Expr> source_of_narrow(ViewContext context, std::span<const Expr> index) {
  const size_t dim = normalised_dim(context.attributes.integer(), index.size());
  std::vector<Expr> source(index.begin(), index.end());
  source[dim] = counted_from_start(context.attributes.extent(), context.operand.shape[dim]) + source[dim];
  return source;
}

Place place_of_narrow(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  const size_t dim = normalised_dim(context.attributes.integer(), index.size());
  const Expr extent = context.operand.shape[dim];
  Place place{{index.begin(), index.end()}};
  place.index[dim] = index[dim] - counted_from_start(context.attributes.extent(), extent);
  place.require(b, within(b, place.index[dim], context.result.shape[dim], extent));
  return place;
}

Dims reference_narrow(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const size_t dim = normalised_dim(attributes.integer(), index.size());
  const int64_t start = literal_extent(attributes.extent());
  Dims source = index;
  source[dim] += start < 0 ? start + context.shape()[dim] : start;
  return source;
}

std::vector<graph::SampleCall> sample_narrow() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, int64_t start, int64_t length) {
    list.push_back(sample_call({sample_type(t, shape)}, narrow_attributes(dim, start, length)));
  };
  for (const DType t : all_dtypes) add(t, {17}, 0, 3, 12);
  add(f32, {16, 17}, -1, -5, 5);
  add(f32, {16, 17}, 0, 0, 16);
  add(f32, {7}, 0, 7, 0);
  add(f32, {7}, 0, -7, 1);
  add(f32, {0, 3}, 0, 0, 0);
  add(f32, {2, 1023}, 1, 1, 1021);
  add(f32, {3, 1}, 1, 0, 1);
  return list;
}

}  // namespace

void register_narrow() {
  const auto extent = graph::ParamKind::extent;
  register_view({"narrow",
                 "`length` elements of a dim from `start` on; all of them must be there.",
                 {{"dim", graph::ParamKind::integer}, {"start", extent}, {"length", extent}},
                 infer_narrow,
                 source_of_narrow,
                 reference_narrow,
                 sample_narrow,
                 graph::OpClass::view,
                 place_of_narrow});
}

}  // namespace sinter::ops
