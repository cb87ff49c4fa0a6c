// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter {

Tensor permute(Operand x, const Dims& dims) {
  return ops::dispatch(ops::op<"permute">(), {&x}, graph::CallAttributes().integers(dims));
}
Tensor transpose(Operand x, int64_t a, int64_t b) {
  return ops::dispatch(ops::op<"transpose">(), {&x}, graph::CallAttributes().integer(a).integer(b));
}
Tensor flip(Operand x, const Dims& dims) {
  return ops::dispatch(ops::op<"flip">(), {&x}, graph::CallAttributes().integers(dims));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

Types infer_permute(graph::InferContext& context) {
  const Dims dims = context.attributes().integers();
  const graph::ValueType& x = context.operand(0);
  graph::ValueType result{x.dtype, {}};
  std::vector<bool> used(x.shape.size());
  bool is_permutation = dims.size() == x.shape.size();
  for (size_t i = 0; is_permutation && i < dims.size(); ++i) {
    const auto d = static_cast<size_t>(context.dim(dims[i], x.rank()));
    is_permutation = !used[d];
    used[d] = true;
    result.shape.push_back(x.shape[d]);
  }
  if (!is_permutation)
    context.fail(fmt::format("dims {} are no permutation of the {} dims of the operand", dims.text(), x.rank()),
                 "name every dim once");
  return {result};
}

Types infer_transpose(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  const int a = context.dim(attributes.integer(), result.rank()), b = context.dim(attributes.integer(), result.rank());
  if (result.rank() > 0) std::swap(result.shape[static_cast<size_t>(a)], result.shape[static_cast<size_t>(b)]);
  return {result};
}

Types infer_flip(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  context.dims(context.attributes().integers(), x.rank());  // fails for dims that are out of range or repeated
  return {x};
}

std::vector<Expr> source_of_permute(ViewContext context, std::span<const Expr> index) {
  const Dims dims = context.attributes.integers();
  std::vector<Expr> source(index.size());
  for (size_t i = 0; i < dims.size(); ++i) source[normalised_dim(dims[i], dims.size())] = index[i];
  return source;
}

std::vector<Expr> source_of_transpose(ViewContext context, std::span<const Expr> index) {
  std::vector<Expr> source(index.begin(), index.end());
  if (source.empty()) return source;
  const size_t a = normalised_dim(context.attributes.integer(), index.size());
  const size_t b = normalised_dim(context.attributes.integer(), index.size());
  std::swap(source[a], source[b]);
  return source;
}

std::vector<Expr> source_of_flip(ViewContext context, std::span<const Expr> index) {
  std::vector<Expr> source(index.begin(), index.end());
  if (source.empty()) return source;
  for (int64_t d : context.attributes.integers()) {
    Expr& i = source[normalised_dim(d, index.size())];
    i = context.operand.shape[normalised_dim(d, index.size())] - 1 - i;
  }
  return source;
}

Place place_of_permute(ViewContext context, loop::Builder&, std::span<const Expr> index) {
  Place place;
  const Dims dims = context.attributes.integers();
  for (const int64_t d : dims) place.index.push_back(index[normalised_dim(d, dims.size())]);
  return place;
}

Place place_of_transpose(ViewContext context, loop::Builder&, std::span<const Expr> index) {
  return {source_of_transpose(context, index)};
}

Dims reference_permute(const ReferenceContext& context, const Dims& index) {
  const Dims dims = context.attributes().integers();
  Dims source = index;
  for (size_t i = 0; i < dims.size(); ++i) source[normalised_dim(dims[i], dims.size())] = index[i];
  return source;
}

Dims reference_transpose(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const int64_t a = attributes.integer(), b = attributes.integer();
  Dims source = index;
  if (!index.empty()) std::swap(source[normalised_dim(a, index.size())], source[normalised_dim(b, index.size())]);
  return source;
}

Dims reference_flip(const ReferenceContext& context, const Dims& index) {
  Dims source = index;
  if (index.empty()) return source;
  for (int64_t d : context.attributes().integers()) {
    const size_t dim = normalised_dim(d, index.size());
    source[dim] = context.result_shape[dim] - 1 - index[dim];
  }
  return source;
}

graph::SampleCall with_dims(DType t, const Dims& shape, const Dims& dims) {
  return sample_call({sample_type(t, shape)}, graph::CallAttributes().integers(dims));
}

std::vector<graph::SampleCall> sample_permute() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(with_dims(t, {5, 7}, {1, 0}));
  for (const auto& [shape, dims] : {std::pair<Dims, Dims>{{}, {}},
                                    {{17}, {0}},
                                    {{16, 17, 3}, {2, 0, 1}},
                                    {{2, 3, 5, 7}, {0, -1, 1, 2}},
                                    {{3, 0}, {-1, -2}},
                                    {{1, 1023}, {1, 0}}})
    list.push_back(with_dims(f32, shape, dims));
  return list;
}

std::vector<graph::SampleCall> sample_transpose() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t a, int64_t b) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(a).integer(b)));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, 0, 1);
  add(f32, {}, 0, -1);
  add(f32, {16, 3, 17}, -1, 0);
  add(f32, {2, 3, 5}, 1, 1);
  add(f32, {0, 3}, 0, 1);
  return list;
}

std::vector<graph::SampleCall> sample_flip() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(with_dims(t, {17}, {0}));
  for (const auto& [shape, dims] :
       {std::pair<Dims, Dims>{{}, {}}, {{2, 3, 7}, {0, -1}}, {{0, 3}, {1}}, {{1, 16}, {0, 1}}, {{1023}, {-1}}})
    list.push_back(with_dims(f32, shape, dims));
  return list;
}

}  // namespace

void register_permute() {
  const auto integers = graph::ParamKind::integers, integer = graph::ParamKind::integer;
  register_view({"permute",
                 "Result dim i is dim dims[i] of the operand.",
                 {{"dims", integers}},
                 infer_permute,
                 source_of_permute,
                 reference_permute,
                 sample_permute,
                 graph::OpClass::view,
                 place_of_permute});
  register_view({"transpose",
                 "Exchanges two dims.",
                 {{"a", integer}, {"b", integer}},
                 infer_transpose,
                 source_of_transpose,
                 reference_transpose,
                 sample_transpose,
                 graph::OpClass::view,
                 place_of_transpose});
  register_view({"flip",
                 "Reverses the order of elements along dims.",
                 {{"dims", integers}},
                 infer_flip,
                 source_of_flip,
                 reference_flip,
                 sample_flip});
}

}  // namespace sinter::ops
