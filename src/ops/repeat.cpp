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

/// `leading`: repeats may be fewer than dims, and leave the leading ones as they are.
graph::CallAttributes repeat_attributes(const Dims& repeats, bool leading) {
  return graph::CallAttributes().flag(leading).extents(repeats);
}
graph::CallAttributes interleave_attributes(int64_t repeats, int64_t dim) {
  return graph::CallAttributes().integer(dim).extent(repeats);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor repeat(Operand x, const Dims& repeats) {
  return ops::dispatch(ops::op<"repeat">(), {&x}, ops::repeat_attributes(repeats, false));
}
Tensor tile(Operand x, const Dims& repeats) {
  return ops::dispatch(ops::op<"repeat">(), {&x}, ops::repeat_attributes(repeats, true));
}
Tensor repeat_interleave(Operand x, int64_t repeats, std::optional<int64_t> dim) {
  if (dim) return ops::dispatch(ops::op<"repeat_interleave">(), {&x}, ops::interleave_attributes(repeats, *dim));
  const SourceLine line = x.line();
  Operand flat(ops::dispatch(ops::op<"flatten">(), {&x}, graph::CallAttributes().integer(0).integer(-1)), line.file,
               line.line);
  return ops::dispatch(ops::op<"repeat_interleave">(), {&flat}, ops::interleave_attributes(repeats, 0));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

void check_not_negative(const graph::InferContext& context, Expr repeats) {
  if (repeats.constant().value_or(0) < 0)
    context.fail(fmt::format("{} repeats; expected 0 or more", repeats.text()), "give a number of 0 or more");
}

Types infer_repeat(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const bool leading = attributes.flag();
  const std::vector<Expr> repeats = attributes.extents();
  const graph::ValueType& x = context.operand(0);
  const size_t rank = x.shape.size(), count = repeats.size();
  if (count < rank && !leading)
    context.fail(fmt::format("{} repeats for {}", count, describe(x)),
                 "give one for every dim; tile() leaves leading dims as they are");
  graph::ValueType result{x.dtype, {}};
  for (size_t d = std::max(rank, count); d-- > 0;) {
    const Expr extent = d < rank ? x.shape[rank - 1 - d] : Expr(1);
    const Expr n = d < count ? repeats[count - 1 - d] : Expr(1);
    check_not_negative(context, n);
    result.shape.push_back(extent * n);
  }
  return {result};
}

std::vector<Expr> source_of_repeat(ViewContext context, std::span<const Expr> index) {
  const auto& shape = context.operand.shape;
  std::vector<Expr> source(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) source[d] = mod(index[index.size() - shape.size() + d], divisor(shape[d]));
  return source;
}

Dims reference_repeat(const ReferenceContext& context, const Dims& index) {
  const Dims shape = context.shape();
  Dims source = shape;
  for (size_t d = 0; d < shape.size(); ++d) source[d] = index[index.size() - shape.size() + d] % shape[d];
  return source;
}

Types infer_interleave(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  if (result.rank() == 0) context.fail("a 0-d tensor has no dim to repeat along", "leave out the dim");
  const auto dim = static_cast<size_t>(context.dim(attributes.integer(), result.rank()));
  const Expr repeats = attributes.extent();
  check_not_negative(context, repeats);
  result.shape[dim] = result.shape[dim] * repeats;
  return {result};
}

std::vector<Expr> source_of_interleave(ViewContext context, std::span<const Expr> index) {
  std::vector<Expr> source(index.begin(), index.end());
  const size_t dim = normalised_dim(context.attributes.integer(), index.size());
  source[dim] = floordiv(source[dim], divisor(context.attributes.extent()));
  return source;
}

Dims reference_interleave(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  Dims source = index;
  int64_t& i = source[normalised_dim(attributes.integer(), index.size())];
  i /= literal_extent(attributes.extent());
  return source;
}

std::vector<graph::SampleCall> sample_repeat() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& repeats, bool leading = false) {
    list.push_back(sample_call({sample_type(t, shape)}, repeat_attributes(repeats, leading)));
  };
  for (const DType t : all_dtypes) add(t, {3, 5}, {2, 3});
  for (const auto& [shape, repeats] : {std::pair<Dims, Dims>{{}, {}},
                                       {{}, {17}},
                                       {{7}, {3, 1, 2}},
                                       {{7, 1}, {1, 16}},
                                       {{7, 3}, {1, 1}},
                                       {{0, 3}, {2, 2}},
                                       {{4, 3}, {0, 2}},
                                       {{31}, {33}}})
    add(f32, shape, repeats);
  add(f32, {2, 3, 4}, {2, 3}, true);
  add(f32, {2, 3}, {}, true);
  add(f32, {3}, {2, 2}, true);
  return list;
}

std::vector<graph::SampleCall> sample_interleave() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t repeats, int64_t dim) {
    list.push_back(sample_call({sample_type(t, shape)}, interleave_attributes(repeats, dim)));
  };
  for (const DType t : all_dtypes) add(t, {5, 3}, 3, 1);
  add(f32, {5, 3}, 2, 0);
  add(f32, {2, 7, 3}, 16, -2);
  add(f32, {5}, 0, 0);
  add(f32, {0, 3}, 2, 0);
  add(f32, {5, 3}, 1, 0);
  add(f32, {31}, 33, 0);
  return list;
}

}  // namespace

void register_repeat() {
  using Kind = graph::ParamKind;
  graph::register_op(view_op({"repeat",
                              "The tensor `repeats` times along each dim; further leading repeats are new dims.",
                              {{"leading", Kind::flag}, {"repeats", Kind::extents}},
                              infer_repeat,
                              source_of_repeat,
                              reference_repeat,
                              sample_repeat,
                              graph::OpClass::indexed}));
  graph::register_op(view_op({"repeat_interleave",
                              "Each element of a dim `repeats` times in a row.",
                              {{"dim", Kind::integer}, {"repeats", Kind::extent}},
                              infer_interleave,
                              source_of_interleave,
                              reference_interleave,
                              sample_interleave,
                              graph::OpClass::indexed}));
}

}  // namespace sinter::ops
