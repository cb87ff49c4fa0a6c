// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

/// Which extent follows from the others (-1: none) and the others. The position is structural, so that an inferred
/// extent is never mistaken for a number that changes.
graph::CallAttributes reshape_attributes(const Dims& shape, SourceLine line, std::string_view op = "reshape") {
  int64_t inferred = -1;
  Dims given;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) {
      given.push_back(shape[d]);
      continue;
    }
    if (shape[d] < -1 || inferred >= 0)
      throw UserError(
          {.op = std::string(op),
           .what = fmt::format("shape {} is not one: expected extents of 0 or more and at most one -1", shape.text()),
           .line = line,
           .context = {},
           .fix = "leave one extent as -1 and give the others"});
    inferred = static_cast<int64_t>(d);
  }
  return graph::CallAttributes().integer(inferred).extents(given);
}

graph::CallAttributes unflatten_attributes(int64_t dim, const Dims& sizes, SourceLine line) {
  graph::CallAttributes attributes = reshape_attributes(sizes, line, "unflatten");
  attributes.integer(dim);
  return attributes;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor reshape(Operand x, const Dims& shape) {
  return ops::dispatch(ops::op<"reshape">(), {&x}, ops::reshape_attributes(shape, x.line()));
}
Tensor unflatten(Operand x, int64_t dim, const Dims& sizes) {
  return ops::dispatch(ops::op<"unflatten">(), {&x}, ops::unflatten_attributes(dim, sizes, x.line()));
}
Tensor flatten(Operand x, int64_t start, int64_t end) {
  return ops::dispatch(ops::op<"flatten">(), {&x}, graph::CallAttributes().integer(start).integer(end));
}
Tensor squeeze(Operand x, const Dims& dims) {
  return ops::dispatch(ops::op<"squeeze">(), {&x}, graph::CallAttributes().integers(dims));
}
Tensor unsqueeze(Operand x, int64_t dim) {
  return ops::dispatch(ops::op<"unsqueeze">(), {&x}, graph::CallAttributes().integer(dim));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

/// The inferred extent, where `shape` (without it) divides a run of dims.
void insert_inferred(graph::InferContext& context, std::vector<Expr>& shape, int64_t position,
                     std::span<const Expr> run) {
  const graph::ValueType& x = context.operand(0);
  if (static_cast<size_t>(position) > shape.size())
    context.fail(fmt::format("extent {} is to be inferred beside {} others", position, shape.size()));
  if (element_count(shape).is_constant(0))
    context.fail(fmt::format("cannot infer extent {} of the result: the others have product 0", position),
                 "give all extents");
  const auto rest = quotient(run, shape);
  if (!rest || !context.same_extent(*rest * element_count(shape), element_count(run)))
    context.fail(fmt::format("cannot reshape {}: its {} elements are not a multiple of {}", describe(x),
                             element_count(run).text(), element_count(shape).text()));
  shape.insert(shape.begin() + position, *rest);
}

Types infer_reshape(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const int64_t inferred = attributes.integer();
  std::vector<Expr> shape = attributes.extents();
  const graph::ValueType& x = context.operand(0);
  const Expr count = element_count(x.shape);
  if (inferred >= 0)
    insert_inferred(context, shape, inferred, x.shape);
  else if (!context.same_extent(element_count(shape), count))
    context.fail(fmt::format("cannot reshape {} to {}: {} elements against {}", describe(x),
                             describe(std::span<const Expr>(shape)), count.text(), element_count(shape).text()),
                 "the products of both shapes must agree; -1 infers one extent");
  return {{x.dtype, std::move(shape)}};
}

Types infer_unflatten(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const int64_t inferred = attributes.integer();
  std::vector<Expr> sizes = attributes.extents();
  graph::ValueType result = context.operand(0);
  if (result.rank() == 0) context.fail("a 0-d tensor has no dim to unflatten", "use reshape()");
  const int dim = context.dim(attributes.integer(), result.rank());
  const Expr extent = result.shape[static_cast<size_t>(dim)];
  if (sizes.empty() && inferred < 0) context.fail("no sizes", "give the extents that the dim becomes");
  if (inferred >= 0)
    insert_inferred(context, sizes, inferred, {&extent, 1});
  else if (!context.same_extent(element_count(sizes), extent))
    context.fail(fmt::format("cannot unflatten dim {} of {} to {}: {} elements against {}", dim, describe(result),
                             describe(std::span<const Expr>(sizes)), extent.text(), element_count(sizes).text()),
                 "the product of the sizes must be the extent; -1 infers one of them");
  result.shape.erase(result.shape.begin() + dim);
  result.shape.insert(result.shape.begin() + dim, sizes.begin(), sizes.end());
  return {result};
}

Types infer_flatten(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const graph::ValueType& x = context.operand(0);
  const int start = context.dim(attributes.integer(), x.rank()), end = context.dim(attributes.integer(), x.rank());
  if (start > end) context.fail(fmt::format("start dim {} comes after end dim {}", start, end), "exchange them");
  if (x.rank() == 0) return {{x.dtype, {Expr(1)}}};
  const std::span<const Expr> shape(x.shape);
  const auto first = static_cast<size_t>(start), past = static_cast<size_t>(end) + 1;
  std::vector<Expr> result(shape.begin(), shape.begin() + start);
  result.push_back(element_count(shape.subspan(first, past - first)));
  result.insert(result.end(), shape.begin() + end + 1, shape.end());
  return {{x.dtype, std::move(result)}};
}

Types infer_squeeze(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  graph::ValueType result{x.dtype, {}};
  std::vector<bool> chosen(x.shape.size());
  for (int d : context.dims(context.attributes().integers(), x.rank()))
    if (static_cast<size_t>(d) < chosen.size()) chosen[static_cast<size_t>(d)] = true;
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (!chosen[d] || !x.shape[d].is_constant(1)) result.shape.push_back(x.shape[d]);
  return {result};
}

Types infer_unsqueeze(graph::InferContext& context) {
  graph::ValueType result = context.operand(0);
  const int dim = context.dim(context.attributes().integer(), result.rank() + 1);
  result.shape.insert(result.shape.begin() + dim, Expr(1));
  return {result};
}

std::vector<Expr> same_row_major_position(ViewContext context, std::span<const Expr> index) {
  return reshape_index(context.operand.shape, context.result.shape, index);
}

Place place_of_reshape(ViewContext context, loop::Builder&, std::span<const Expr> index) {
  return {reshape_index(context.result.shape, context.operand.shape, index)};
}

Dims reference_position(const ReferenceContext& context, const Dims& index) {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear = linear * context.result_shape[d] + index[d];
  const Dims shape = context.shape();
  Dims source = shape;
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d]) source[d] = linear % shape[d];
  return source;
}

graph::SampleCall reshape_sample(DType dtype, const Dims& from, const Dims& to) {
  return sample_call({sample_type(dtype, from)}, reshape_attributes(to, {}));
}

std::vector<graph::SampleCall> sample_reshape() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(reshape_sample(t, {6, 4}, {3, 8}));
  const std::pair<Dims, Dims> shapes[] = {{{1023}, {3, -1}},
                                          {{16, 17}, {-1}},
                                          {{2, 3, 7}, {2, 21}},
                                          {{2, 3, 7}, {7, 3, 2}},
                                          {{0}, {3, 0, 2}},
                                          {{0, 3}, {-1, 3}},
                                          {{1}, {}},
                                          {{}, {1, 1}},
                                          {{7, 1, 3}, {7, 3}},
                                          {{4, 6}, {2, 2, 2, 3}},
                                          {{5, 4, 3}, {20, -1}},
                                          {{1, 16, 1}, {4, 1, 4}},
                                          {{2, 12, 5}, {2, 3, 4, 5}}};
  for (const auto& [from, to] : shapes) list.push_back(reshape_sample(f32, from, to));
  return list;
}

std::vector<graph::SampleCall> sample_unflatten() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim, const Dims& sizes) {
    list.push_back(sample_call({sample_type(t, shape)}, unflatten_attributes(dim, sizes, {})));
  };
  for (const DType t : all_dtypes) add(t, {12, 2}, 0, {3, 4});
  add(f32, {5, 1023}, -1, {3, -1});
  add(f32, {7}, 0, {7});
  add(f32, {2, 16, 3}, 1, {-1, 2, 4});
  add(f32, {0, 3}, 0, {2, 0});
  add(f32, {0, 3}, 0, {-1, 5});
  add(f32, {1}, 0, {1, 1});
  return list;
}

std::vector<graph::SampleCall> sample_flatten() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t start, int64_t end) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(start).integer(end)));
  };
  for (const DType t : all_dtypes) add(t, {3, 2, 4}, 0, -1);
  add(f32, {}, 0, -1);
  add(f32, {7, 16, 17}, 1, 2);
  add(f32, {7, 0, 17}, -2, -1);
  add(f32, {2, 3, 5, 7}, 1, 2);
  return list;
}

std::vector<graph::SampleCall> sample_squeeze() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& dims) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integers(dims)));
  };
  for (const DType t : all_dtypes) add(t, {1, 5, 1}, {});
  add(f32, {}, {});
  add(f32, {}, {0});
  add(f32, {1, 17, 1, 3}, {-2});
  add(f32, {17, 1, 3}, {0, 1});
  add(f32, {0, 1}, {});
  return list;
}

std::vector<graph::SampleCall> sample_unsqueeze() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(dim)));
  };
  for (const DType t : all_dtypes) add(t, {5, 3}, 1);
  add(f32, {}, 0);
  add(f32, {17}, -1);
  add(f32, {0, 7}, -3);
  return list;
}

}  // namespace

void register_reshape() {
  const auto integer = graph::ParamKind::integer;
  register_view({"reshape",
                 "The same elements in row-major order with another shape.",
                 {{"inferred", integer}, {"shape", graph::ParamKind::extents}},
                 infer_reshape,
                 same_row_major_position,
                 reference_position,
                 sample_reshape,
                 graph::OpClass::view,
                 place_of_reshape,
                 true});
  register_view({"unflatten",
                 "One dim as several, in row-major order.",
                 {{"inferred", integer}, {"sizes", graph::ParamKind::extents}, {"dim", integer}},
                 infer_unflatten,
                 same_row_major_position,
                 reference_position,
                 sample_unflatten,
                 graph::OpClass::view,
                 place_of_reshape});
  register_view({"flatten",
                 "Dims start to end (inclusive) as one.",
                 {{"start", integer}, {"end", integer}},
                 infer_flatten,
                 same_row_major_position,
                 reference_position,
                 sample_flatten,
                 graph::OpClass::view,
                 place_of_reshape,
                 true});
  register_view({"squeeze",
                 "Drops dims of extent 1, all or the listed ones.",
                 {{"dims", graph::ParamKind::integers}},
                 infer_squeeze,
                 same_row_major_position,
                 reference_position,
                 sample_squeeze,
                 graph::OpClass::view,
                 place_of_reshape});
  register_view({"unsqueeze",
                 "Inserts a dim of extent 1.",
                 {{"dim", integer}},
                 infer_unsqueeze,
                 same_row_major_position,
                 reference_position,
                 sample_unsqueeze,
                 graph::OpClass::view,
                 place_of_reshape});
}

}  // namespace sinter::ops
