// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/graph/seeded_fault.h"
#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes slice_attributes(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop,
                                       int64_t step) {
  return graph::CallAttributes()
      .integer(dim)
      .integer(step)
      .flag(stop.has_value())
      .extent(start.value_or(0))
      .extent(stop.value_or(0));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor slice(Operand x, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step) {
  // Bounds beyond every extent are the ends, as in Python.
  const auto bounded = [](int64_t v) { return std::clamp(v, -graph::max_extent, graph::max_extent); };
  if (start) start = bounded(*start);
  if (stop) stop = bounded(*stop);
  return ops::dispatch(ops::op<"slice">(), {&x},
                       ops::slice_attributes(dim, start, stop, std::min(step, graph::max_extent)));
}
Tensor select(Operand x, int64_t dim, int64_t index) {
  return ops::dispatch(ops::op<"select">(), {&x}, graph::CallAttributes().integer(dim).extent(index));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

/// A start or stop as Python reads it: negative counts from the end, and both ends are clamped.
Expr clamped_bound(Expr bound, Expr extent) {
  const int64_t literal = bound.constant().value_or(0);
  if (literal >= graph::max_extent) return extent;
  return simplify_extent(literal < 0 ? max(extent + bound, 0) : min(bound, extent));
}

struct SliceBounds {
  size_t dim;
  int64_t step;
  Expr start, length;
};

SliceBounds bounds_of(graph::AttributeReader attributes, std::span<const Expr> shape) {
  const size_t dim = normalised_dim(attributes.integer(), shape.size());
  const int64_t step = attributes.integer();
  const bool has_stop = attributes.flag();
  const Expr extent = shape[dim];
  const Expr start = clamped_bound(attributes.extent(), extent);
  const Expr stop = attributes.extent();
  const Expr span = (has_stop ? clamped_bound(stop, extent) : extent) - start;
  return {dim, step, start, simplify_extent(max(ceildiv(span, step), 0))};
}

Types infer_slice(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  if (result.rank() == 0) context.fail("a 0-d tensor has no dim to slice", "unsqueeze it first");
  const int dim = context.dim(attributes.integer(), result.rank());
  const int64_t step = attributes.integer();
  if (step < 1)
    context.fail(fmt::format("step {} is not positive", step), "take a positive step and reverse with flip()");
  result.shape[static_cast<size_t>(dim)] = bounds_of(context.attributes(), result.shape).length;
  return {result};
}

std::vector<Expr> source_of_slice(ViewContext context, std::span<const Expr> index) {
  const SliceBounds bounds = bounds_of(context.attributes, context.operand.shape);
  std::vector<Expr> source(index.begin(), index.end());
  const bool drops_offset = planted(graph::Fault::dropped_view_offset);  // tests only
  source[bounds.dim] = (drops_offset ? Expr(0) : bounds.start) + source[bounds.dim] * bounds.step;
  return source;
}

Place place_of_slice(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  const SliceBounds bounds = bounds_of(context.attributes, context.operand.shape);
  const Expr extent = context.operand.shape[bounds.dim], from_start = index[bounds.dim] - bounds.start;
  Place place{{index.begin(), index.end()}};
  place.index[bounds.dim] = floordiv(from_start, bounds.step);
  place.require(b, within(b, place.index[bounds.dim], bounds.length, extent));
  if (bounds.step > 1) {
    const DType t = index_type(Expr(bounds.step));
    place.require(b, b.eq(b.body().index_value(mod(from_start, bounds.step), t), b.body().index_value(Expr(0), t)));
  }
  return place;
}

Dims reference_slice(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const size_t dim = normalised_dim(attributes.integer(), index.size());
  const int64_t step = attributes.integer();
  attributes.flag();
  int64_t start = literal_extent(attributes.extent());
  const int64_t extent = context.shape()[dim];
  if (start < 0) start += extent;
  Dims source = index;
  source[dim] = std::clamp<int64_t>(start, 0, extent) + index[dim] * step;
  return source;
}

/// The index counted from the start. For symbols its being in range becomes an assumption, so that a call for which it
/// does not hold gets an entry of its own, and its error there.
Expr selected_index(Expr index, Expr extent) { return index.constant().value_or(0) < 0 ? extent + index : index; }

Types infer_select(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  if (result.rank() == 0) context.fail("a 0-d tensor has no dim to select from", "use the tensor itself");
  const auto dim = static_cast<size_t>(context.dim(attributes.integer(), result.rank()));
  const Expr given = attributes.extent(), extent = result.shape[dim];
  const Expr index = selected_index(given, extent);
  // An empty dim has no last element either, though -1 is its extent - 1.
  if (!context.same_extent(simplify_extent(max(extent, 1)), extent) ||
      !context.same_extent(simplify_extent(min(max(index, 0), extent - 1)), simplify_extent(index)))
    context.fail(fmt::format("index {} is outside dim {} of {}", given.text(), dim, describe(result)),
                 extent.is_constant(0) ? "an empty dim has nothing to select"
                                       : fmt::format("give an index in [-{0}, {0})", extent.text()));
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return {result};
}

std::vector<Expr> source_of_select(ViewContext context, std::span<const Expr> index) {
  const auto& shape = context.operand.shape;
  const size_t dim = normalised_dim(context.attributes.integer(), shape.size());
  std::vector<Expr> source(index.begin(), index.end());
  source.insert(source.begin() + static_cast<std::ptrdiff_t>(dim),
                selected_index(context.attributes.extent(), shape[dim]));
  return source;
}

Place place_of_select(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  const size_t dim = normalised_dim(context.attributes.integer(), index.size());
  const Expr extent = context.operand.shape[dim];
  Place place;
  for (size_t d = 0; d < index.size(); ++d)
    if (d != dim) place.index.push_back(index[d]);
  const Expr from_selected = index[dim] - selected_index(context.attributes.extent(), extent);
  place.require(b, within(b, from_selected, Expr(1), extent));
  return place;
}

Dims reference_select(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims shape = context.shape();
  const size_t dim = normalised_dim(attributes.integer(), shape.size());
  const int64_t selected = literal_extent(attributes.extent());
  Dims source;
  for (size_t d = 0; d < shape.size(); ++d)
    source.push_back(d == dim ? (selected + shape[d]) % shape[d] : index[d - (d > dim ? 1 : 0)]);
  return source;
}

std::vector<graph::SampleCall> sample_slice() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, std::optional<int64_t> start,
                       std::optional<int64_t> stop, int64_t step) {
    list.push_back(sample_call({sample_type(t, shape)}, slice_attributes(dim, start, stop, step)));
  };
  for (const DType t : all_dtypes) add(t, {17}, 0, 2, 15, 3);
  add(f32, {16, 17}, -1, -5, -1, 1);
  add(f32, {16, 17}, 0, std::nullopt, std::nullopt, 2);
  add(f32, {7}, 0, 5, 2, 1);
  add(f32, {7}, 0, -100, 100, 1);
  add(f32, {7}, 0, 9, std::nullopt, 1);
  add(f32, {0, 3}, 0, 1, std::nullopt, 1);
  add(f32, {1023}, 0, 1, std::nullopt, 7);
  add(f32, {3, 1}, 1, 0, 1, 4);
  return list;
}

std::vector<graph::SampleCall> sample_select() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, int64_t index) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(dim).extent(index)));
  };
  for (const DType t : all_dtypes) add(t, {17, 3}, 0, 5);
  add(f32, {1}, 0, 0);
  add(f32, {16}, 0, -1);
  add(f32, {2, 7, 3}, 1, -7);
  add(f32, {2, 7, 3}, -1, 2);
  add(f32, {0, 7}, 1, 3);
  return list;
}

}  // namespace

void register_slice() {
  const auto integer = graph::ParamKind::integer, extent = graph::ParamKind::extent;
  register_view(
      {"slice",
       "Elements start, start + step, ... before stop along a dim, clamped as in Python.",
       {{"dim", integer}, {"step", integer}, {"has_stop", graph::ParamKind::flag}, {"start", extent}, {"stop", extent}},
       infer_slice,
       source_of_slice,
       reference_slice,
       sample_slice,
       graph::OpClass::view,
       place_of_slice});
  register_view({"select",
                 "One index of a dim, which disappears.",
                 {{"dim", integer}, {"index", extent}},
                 infer_select,
                 source_of_select,
                 reference_select,
                 sample_select,
                 graph::OpClass::view,
                 place_of_select});
}

}  // namespace sinter::ops
