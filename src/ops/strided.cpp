// SPDX-License-Identifier: Apache-2.0
// Views that let two result dims run along one operand dim, or the reverse.
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes unfold_attributes(int64_t dim, int64_t size, int64_t step) {
  return graph::CallAttributes().integer(dim).integer(step).extent(size);
}
graph::CallAttributes diagonal_attributes(int64_t offset, int64_t dim1, int64_t dim2) {
  return graph::CallAttributes().integer(dim1).integer(dim2).extent(bounded_offset(offset));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor unfold(Operand x, int64_t dim, int64_t size, int64_t step) {
  return ops::dispatch(ops::op<"unfold">(), {&x}, ops::unfold_attributes(dim, size, step));
}
Tensor diagonal(Operand x, int64_t offset, int64_t dim1, int64_t dim2) {
  return ops::dispatch(ops::op<"diagonal">(), {&x}, ops::diagonal_attributes(offset, dim1, dim2));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

/// A 0-d tensor counts as one of shape [1].
Types infer_unfold(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  const auto dim = static_cast<size_t>(context.dim(attributes.integer(), result.rank()));
  const int64_t step = attributes.integer();
  const Expr size = attributes.extent(), extent = result.rank() == 0 ? Expr(1) : result.shape[dim];
  if (step < 1) context.fail(fmt::format("step {} is not positive", step), "give a step of 1 or more");
  if (size.constant().value_or(0) < 0) context.fail(fmt::format("size {} is negative", size.text()));
  if (!context.same_extent(simplify_extent(min(size, extent)), size))
    context.fail(fmt::format("windows of {} elements are longer than dim {} of {}", size.text(), dim, describe(result)),
                 "give a size up to the extent, or pad() first");
  if (result.rank() > 0) result.shape[dim] = simplify_extent(floordiv(extent - size, step) + 1);
  result.shape.push_back(size);
  return {result};
}

std::vector<Expr> source_of_unfold(ViewContext context, std::span<const Expr> index) {
  std::vector<Expr> source(index.begin(), index.end() - 1);
  if (source.empty()) return source;
  Expr& i = source[normalised_dim(context.attributes.integer(), source.size())];
  i = i * context.attributes.integer() + index.back();
  return source;
}

/// Only where windows do not overlap: recording refuses to write through the others. Between windows may be elements
/// of none.
Place place_of_unfold(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  Place place{{index.begin(), index.end()}};
  if (index.empty()) {
    place.index.push_back(0);
    place.require(b, below(b, Expr(0), context.result.shape.back(), Expr(1)));  // a window of 0 or 1
    return place;
  }
  const size_t dim = normalised_dim(context.attributes.integer(), index.size());
  const int64_t step = context.attributes.integer();
  const Expr extent = context.operand.shape[dim], size = context.result.shape.back();
  // The one window of a short dim may be longer than a step.
  place.index[dim] = min(floordiv(index[dim], step), context.result.shape[dim] - 1);
  place.index.push_back(index[dim] - place.index[dim] * step);
  place.require(b, below(b, place.index.back(), size, extent + size));
  return place;
}

Dims reference_unfold(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  Dims source(index.span().first(index.size() - 1));
  if (source.empty()) return source;
  int64_t& i = source[normalised_dim(attributes.integer(), source.size())];
  i = i * attributes.integer() + index.back();
  return source;
}

/// Where the diagonal begins: it leaves out rows for a negative offset and columns for a positive one. A symbol is
/// never negative.
struct Corner {
  Expr row, column;
};

Corner corner_of(Expr offset) {
  const bool below = offset.constant().value_or(0) < 0;
  return {below ? Expr(0) - offset : Expr(0), below ? Expr(0) : offset};
}

Types infer_diagonal(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const graph::ValueType& x = context.operand(0);
  if (x.rank() < 2) context.fail(fmt::format("expected a tensor of two dims or more, got {}", describe(x)));
  const int row = context.dim(attributes.integer(), x.rank()), column = context.dim(attributes.integer(), x.rank());
  if (row == column) context.fail(fmt::format("both dims are dim {}", row), "give two different dims");
  const Corner corner = corner_of(attributes.extent());
  const Expr rows = x.shape[static_cast<size_t>(row)] - corner.row;
  const Expr columns = x.shape[static_cast<size_t>(column)] - corner.column;
  graph::ValueType result{x.dtype, {}};
  for (int d = 0; d < x.rank(); ++d)
    if (d != row && d != column) result.shape.push_back(x.shape[static_cast<size_t>(d)]);
  result.shape.push_back(simplify_extent(max(min(rows, columns), 0)));
  return {result};
}

std::vector<Expr> source_of_diagonal(ViewContext context, std::span<const Expr> index) {
  const size_t rank = context.operand.shape.size();
  const size_t row = normalised_dim(context.attributes.integer(), rank);
  const size_t column = normalised_dim(context.attributes.integer(), rank);
  const Corner corner = corner_of(context.attributes.extent());
  std::vector<Expr> source;
  size_t next = 0;
  for (size_t d = 0; d < rank; ++d)
    source.push_back(d == row ? index.back() + corner.row : d == column ? index.back() + corner.column : index[next++]);
  return source;
}

Place place_of_diagonal(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  const size_t row = normalised_dim(context.attributes.integer(), index.size());
  const size_t column = normalised_dim(context.attributes.integer(), index.size());
  const Corner corner = corner_of(context.attributes.extent());
  Place place;
  for (size_t d = 0; d < index.size(); ++d)
    if (d != row && d != column) place.index.push_back(index[d]);
  const Expr along = index[row] - corner.row;
  place.index.push_back(along);
  const Expr reach = context.operand.shape[row] + context.operand.shape[column];
  place.require(b, within(b, along, context.result.shape.back(), reach));
  const DType t = index_type(reach);
  place.require(b, b.eq(b.body().index_value(index[column] - corner.column, t), b.body().index_value(along, t)));
  return place;
}

Dims reference_diagonal(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const size_t rank = context.shape().size();
  const size_t row = normalised_dim(attributes.integer(), rank), column = normalised_dim(attributes.integer(), rank);
  const int64_t offset = literal_extent(attributes.extent());
  Dims source = Dims::filled(rank, 0);
  for (size_t d = 0, next = 0; d < rank; ++d)
    if (d != row && d != column) source[d] = index[next++];
  source[row] = index.back() - std::min<int64_t>(offset, 0);
  source[column] = source[row] + offset;
  return source;
}

std::vector<graph::SampleCall> sample_unfold() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, int64_t size, int64_t step) {
    list.push_back(sample_call({sample_type(t, shape)}, unfold_attributes(dim, size, step)));
  };
  for (const DType t : all_dtypes) {
    add(t, {17}, 0, 5, 3);
    add(t, {17}, 0, 3, 5);
  }
  add(f32, {3, 16, 5}, 1, 4, 4);
  add(f32, {3, 17}, -1, 17, 2);
  add(f32, {3, 17}, 0, 2, 1);
  add(f32, {}, -1, 1, 1);
  add(f32, {}, 0, 0, 2);
  add(f32, {7, 3}, 0, 0, 2);
  add(f32, {0, 3}, 1, 2, 1);
  add(f32, {0}, 0, 0, 5);
  add(f32, {1023}, 0, 64, 31);
  return list;
}

std::vector<graph::SampleCall> sample_diagonal() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t offset, int64_t dim1, int64_t dim2) {
    list.push_back(sample_call({sample_type(t, shape)}, diagonal_attributes(offset, dim1, dim2)));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, 0, 0, 1);
  add(f32, {5, 7}, 2, 0, 1);
  add(f32, {5, 7}, -3, 0, 1);
  add(f32, {5, 7}, 3, 1, 0);
  add(f32, {5, 7}, 7, 0, -1);
  add(f32, {5, 7}, -100, 0, 1);
  add(f32, {3, 16, 17}, 1, -2, -1);
  add(f32, {7, 2, 3, 5}, 0, 3, 0);
  add(f32, {0, 3}, 0, 0, 1);
  add(f32, {33, 31}, 0, 0, 1);
  return list;
}

}  // namespace

void register_strided() {
  const auto integer = graph::ParamKind::integer, extent = graph::ParamKind::extent;
  register_view({"unfold",
                 "Windows of `size` elements of a dim, `step` apart, as a new last dim.",
                 {{"dim", integer}, {"step", integer}, {"size", extent}},
                 infer_unfold,
                 source_of_unfold,
                 reference_unfold,
                 sample_unfold,
                 graph::OpClass::view,
                 place_of_unfold,
                 false,
                 true});
  register_view({"diagonal",
                 "The elements (i, i + offset) of two dims, as a new last dim.",
                 {{"dim1", integer}, {"dim2", integer}, {"offset", extent}},
                 infer_diagonal,
                 source_of_diagonal,
                 reference_diagonal,
                 sample_diagonal,
                 graph::OpClass::view,
                 place_of_diagonal});
}

}  // namespace sinter::ops
