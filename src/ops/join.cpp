// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/ops/arguments.h"
#include "src/ops/bounds.h"
#include "src/ops/convert.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter {

Tensor cat(std::vector<Tensor> tensors, int64_t dim, SourceLine line) {
  return ops::dispatch_list(ops::op<"cat">(), std::move(tensors), graph::CallAttributes().integer(dim), line);
}
Tensor stack(std::vector<Tensor> tensors, int64_t dim, SourceLine line) {
  return ops::dispatch_list(ops::op<"stack">(), std::move(tensors), graph::CallAttributes().integer(dim), line);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using Types = std::vector<graph::ValueType>;

/// PyTorch lets tensors of shape [0] stand beside tensors of any rank.
bool is_skipped(const graph::ValueType& t) { return t.rank() == 1 && t.shape[0].is_constant(0); }

size_t normalised(int64_t dim, int rank) { return static_cast<size_t>(dim < 0 ? dim + rank : dim); }

DType joined_dtype(const graph::InferContext& context) {
  return common_dtype(context, argument_types(operand_arguments(context.operand_count()),
                                              [&](size_t i) -> const graph::ValueType& { return context.operand(i); }));
}

/// The first operand that is not skipped gives rank and extents; the first one if all are.
size_t model_operand(const graph::InferContext& context) {
  for (size_t i = 0; i < context.operand_count(); ++i)
    if (!is_skipped(context.operand(i))) return i;
  return 0;
}

void check_joins(graph::InferContext& context, size_t model, size_t other, std::optional<size_t> free_dim) {
  const graph::ValueType& a = context.operand(model);
  const graph::ValueType& b = context.operand(other);
  bool fits = a.rank() == b.rank();
  for (size_t d = 0; fits && d < a.shape.size(); ++d)
    fits = d == free_dim || context.same_extent(a.shape[d], b.shape[d]);
  if (!fits)
    context.fail(fmt::format("operand {} is {} against {} of operand {}", other, describe(b), describe(a), model),
                 free_dim ? fmt::format("ranks, and extents but for dim {}, must agree", *free_dim)
                          : std::string("all shapes must agree"));
}

Types infer_cat(graph::InferContext& context) {
  const size_t model = model_operand(context);
  graph::ValueType result{joined_dtype(context), context.operand(model).shape};
  if (result.rank() == 0) context.fail("0-d tensors have no dim to join along", "use stack()");
  const auto dim = static_cast<size_t>(context.dim(context.attributes().integer(), result.rank()));
  Expr extent;
  for (size_t i = 0; i < context.operand_count(); ++i) {
    if (is_skipped(context.operand(i))) continue;
    check_joins(context, model, i, dim);
    extent = extent + context.operand(i).shape[dim];
  }
  result.shape[dim] = extent;
  return {result};
}

loop::Value lower_cat(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const graph::ValueType& result = reader.result_type();
  const size_t dim = normalised(reader.attributes().integer(), result.rank());
  const loop::Value zero = b.constant(scalar::compute_type(result.dtype), 0);
  Expr end = result.shape[dim];
  loop::Value value = zero;
  // From the last operand to the first: each takes over below the end of its part.
  for (size_t i = reader.operand_count(); i-- > 0;) {
    const graph::ValueType& operand = reader.operand_type(i);
    if (is_skipped(operand)) continue;
    const Expr begin = end - operand.shape[dim];
    std::vector<Expr> source(index.begin(), index.end());
    source[dim] = index[dim] - begin;
    const loop::Value here = below(b, index[dim], end);
    const loop::Value mask = begin.is_constant(0) ? here : b.bit_and(here, not_negative(b, source[dim], end));
    const loop::Value fill = b.constant(scalar::compute_type(operand.dtype), 0);
    const loop::Value element = reader.read_masked(i, source, mask, fill);
    value = b.select(here, convert_value(b, element, operand.dtype, result.dtype), value);
    end = begin;
  }
  return value;
}

Source source_of_cat(const ReferenceContext& context, const Dims& index) {
  const size_t dim = normalised(context.attributes().integer(), static_cast<int>(index.size()));
  Dims source = index;
  int operand = 0;
  for (;; ++operand) {
    const Dims shape = context.shape(static_cast<size_t>(operand));
    if (shape == Dims{0}) continue;
    if (source[dim] < shape[dim]) return {operand, source};
    source[dim] -= shape[dim];
  }
}

Types infer_stack(graph::InferContext& context) {
  graph::ValueType result{joined_dtype(context), context.operand(0).shape};
  for (size_t i = 1; i < context.operand_count(); ++i) check_joins(context, 0, i, std::nullopt);
  const int dim = context.dim(context.attributes().integer(), result.rank() + 1);
  result.shape.insert(result.shape.begin() + dim, Expr(static_cast<int64_t>(context.operand_count())));
  return {result};
}

std::vector<graph::Value> decompose_stack(graph::Graph& g, const graph::Node& node) {
  const auto dim =
      static_cast<int64_t>(normalised(graph::AttributeReader(node.attributes).integer(), node.results[0].rank()));
  const auto attributes = graph::literal_attributes(graph::CallAttributes().integer(dim));
  std::vector<graph::Value> parts;
  for (const graph::Value operand : node.operands)
    parts.push_back({g.add(op<"unsqueeze">(), {operand}, attributes, node.line), 0});
  return {{g.add(op<"cat">(), std::move(parts), attributes, node.line), 0}};
}

Source source_of_stack(const ReferenceContext& context, const Dims& index) {
  const size_t dim = normalised(context.attributes().integer(), static_cast<int>(index.size()));
  Source source{static_cast<int>(index[dim]), {}};
  for (size_t d = 0; d < index.size(); ++d)
    if (d != dim) source.index.push_back(index[d]);
  return source;
}

graph::SampleCall join_sample(std::vector<graph::ValueType> operands, int64_t dim) {
  return sample_call(std::move(operands), graph::CallAttributes().integer(dim));
}

std::vector<graph::SampleCall> sample_cat() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(join_sample({sample_type(t, {2, 3}), sample_type(t, {4, 3})}, 0));
  list.push_back(join_sample({sample_type(f32, {7, 16}), sample_type(f32, {7, 17}), sample_type(f32, {7, 1})}, 1));
  list.push_back(join_sample({sample_type(f32, {0}), sample_type(f32, {2, 3}), sample_type(f32, {1, 3})}, -2));
  list.push_back(join_sample({sample_type(i8, {3}), sample_type(f16, {5}), sample_type(u8, {2})}, 0));
  list.push_back(join_sample({sample_type(boolean, {3}), sample_type(u8, {5})}, -1));
  list.push_back(join_sample({sample_type(f32, {1023})}, 0));
  list.push_back(join_sample({sample_type(f32, {0, 3}), sample_type(f32, {0, 3})}, 0));
  list.push_back(join_sample({sample_type(f32, {0}), sample_type(f32, {0})}, 0));
  return list;
}

std::vector<graph::SampleCall> sample_stack() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(join_sample({sample_type(t, {2, 3}), sample_type(t, {2, 3})}, 1));
  list.push_back(join_sample({sample_type(f32, {}), sample_type(f32, {}), sample_type(f64, {})}, 0));
  list.push_back(join_sample({sample_type(i32, {17}), sample_type(f16, {17})}, -1));
  list.push_back(join_sample({sample_type(f32, {0, 2}), sample_type(f32, {0, 2})}, -3));
  return list;
}

graph::OpDef join_op(std::string_view name, std::string_view doc, Types (*infer)(graph::InferContext&),
                     Source (*source)(const ReferenceContext&, const Dims&),
                     std::vector<graph::SampleCall> (*samples)()) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.max_operands = -1;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = infer;
  def.reference = [source](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source)};
  };
  def.sample = sample_list(samples);
  return def;
}

}  // namespace

void register_join() {
  graph::OpDef cat = join_op("cat", "Joins tensors along a dim; dtypes promote, tensors of shape [0] are skipped.",
                             infer_cat, source_of_cat, sample_cat);
  cat.lower = lower_cat;
  graph::register_op(std::move(cat));
  graph::OpDef stack = join_op("stack", "Joins tensors of one shape along a new dim; dtypes promote.", infer_stack,
                               source_of_stack, sample_stack);
  stack.decompose = decompose_stack;
  graph::register_op(std::move(stack));
}

}  // namespace sinter::ops
