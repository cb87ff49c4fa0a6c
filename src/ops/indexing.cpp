// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/indexing.h>

#include "src/loop/reader.h"
#include "src/ops/checked_position.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter {

Tensor index_select(Operand x, int64_t dim, Operand index) {
  return ops::dispatch(ops::op<"index_select">(), {&x, &index}, graph::CallAttributes().integer(dim));
}
Tensor gather(Operand x, int64_t dim, Operand index) {
  return ops::dispatch(ops::op<"gather">(), {&x, &index}, graph::CallAttributes().integer(dim));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using Types = std::vector<graph::ValueType>;

void check_operands(const graph::InferContext& context) {
  if (context.operand(0).rank() == 0) context.fail("a 0-d tensor has no dim to index", "unsqueeze it first");
  const DType t = context.operand(1).dtype;
  if (t != i32 && t != i64)
    context.fail(fmt::format("expected an index of i32 or i64, got {}", describe(context.operand(1))),
                 "cast it with to(index, i64)");
}

Types infer_index_select(graph::InferContext& context) {
  check_operands(context);
  const graph::ValueType& index = context.operand(1);
  graph::ValueType result = context.operand(0);
  if (index.rank() > 1)
    context.fail(fmt::format("expected an index of one dim, got {}", describe(index)), "flatten it first");
  const int dim = context.dim(context.attributes().integer(), result.rank());
  const Expr count = index.rank() == 1 ? index.shape[0] : Expr(1);
  result.shape[static_cast<size_t>(dim)] = count;
  return {result};
}

/// A 0-d index counts as one of shape [1].
Types infer_gather(graph::InferContext& context) {
  check_operands(context);
  const graph::ValueType& x = context.operand(0);
  const graph::ValueType& index = context.operand(1);
  const auto dim = static_cast<size_t>(context.dim(context.attributes().integer(), x.rank()));
  if (x.rank() != std::max(index.rank(), 1))
    context.fail(fmt::format("expected an index of the rank of {}, got {}", describe(x), describe(index)));
  for (size_t d = 0; d < x.shape.size() && d < index.shape.size(); ++d) {
    if (d == dim) continue;
    const Expr extent = x.shape[d], wanted = index.shape[d];
    if (!context.same_extent(simplify_extent(min(wanted, extent)), wanted))
      context.fail(fmt::format("dim {} of the index {} is larger than that of {}", d, describe(index), describe(x)),
                   fmt::format("narrow the index to {} there", extent.text()));
  }
  return {{x.dtype, index.shape}};
}

loop::Value lower_index_select(loop::Reader& reader, std::span<const Expr> index) {
  const graph::ValueType& x = reader.operand_type(0);
  const size_t dim = normalised_dim(reader.attributes().integer(), x.shape.size());
  std::vector<Expr> position;
  if (reader.operand_type(1).rank() == 1) position.push_back(index[dim]);
  const loop::Value loaded = reader.read(1, position);
  std::vector<Expr> source(index.begin(), index.end());
  source[dim] = checked_position(reader.builder(), loaded, x.shape[dim]);
  return reader.read(0, source);
}

loop::Value lower_gather(loop::Reader& reader, std::span<const Expr> index) {
  const graph::ValueType& x = reader.operand_type(0);
  const loop::Value loaded = reader.read(1, index);
  const size_t dim = normalised_dim(reader.attributes().integer(), x.shape.size());
  std::vector<Expr> source(index.begin(), index.end());
  source.resize(x.shape.size());
  source[dim] = checked_position(reader.builder(), loaded, x.shape[dim]);
  return reader.read(0, source);
}

Source source_of_index_select(const ReferenceContext& context, const Dims& index) {
  const Dims shape = context.shape(0);
  const size_t dim = normalised_dim(context.attributes().integer(), shape.size());
  Dims at;
  if (context.shape(1).size() == 1) at.push_back(index[dim]);
  Source source{0, index};
  source.index[dim] = checked_element(context, 1, at, shape[dim]);
  return source;
}

Source source_of_gather(const ReferenceContext& context, const Dims& index) {
  const Dims shape = context.shape(0);
  const size_t dim = normalised_dim(context.attributes().integer(), shape.size());
  Source source{0, index.empty() ? Dims{0} : index};
  source.index[dim] = checked_element(context, 1, index, shape[dim]);
  return source;
}

/// Values in [0, 2.9] are valid indices for dims of at least 3.
graph::SampleCall index_sample(DType t, const Dims& shape, int64_t dim, DType index_dtype, const Dims& index) {
  return sample_call({sample_type(t, shape), sample_type(index_dtype, index)}, graph::CallAttributes().integer(dim), 0,
                     2.9);
}

std::vector<graph::SampleCall> sample_index_select() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(index_sample(t, {5, 7}, 0, i64, {17}));
  list.push_back(index_sample(f32, {5, 7}, -1, i32, {16}));
  list.push_back(index_sample(f32, {5, 7}, 1, i64, {}));
  list.push_back(index_sample(f32, {2, 3, 4}, 1, i32, {1023}));
  list.push_back(index_sample(f32, {3}, 0, i64, {0}));
  list.push_back(index_sample(f32, {0, 3}, 1, i64, {1}));
  return list;
}

std::vector<graph::SampleCall> sample_gather() {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes) list.push_back(index_sample(t, {5, 7}, 1, i64, {5, 3}));
  list.push_back(index_sample(f32, {5, 7}, 0, i32, {16, 2}));
  list.push_back(index_sample(f32, {17}, -1, i64, {1023}));
  list.push_back(index_sample(f32, {2, 3, 4}, 1, i32, {1, 7, 4}));
  list.push_back(index_sample(f32, {7}, 0, i64, {}));
  list.push_back(index_sample(f32, {4, 3}, 0, i64, {0, 3}));
  return list;
}

graph::OpDef indexing_op(std::string_view name, std::string_view doc, Types (*infer)(graph::InferContext&),
                         loop::Value (*lower)(loop::Reader&, std::span<const Expr>),
                         Source (*source)(const ReferenceContext&, const Dims&),
                         std::vector<graph::SampleCall> (*samples)()) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = infer;
  def.lower = lower;
  def.reference = [source](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source)};
  };
  def.sample = sample_list(samples);
  return def;
}

}  // namespace

void register_indexing() {
  graph::register_op(indexing_op("index_select",
                                 "The elements of a dim at indices that are data; negative ones are errors.",
                                 infer_index_select, lower_index_select, source_of_index_select, sample_index_select));
  graph::register_op(indexing_op("gather", "For each element of the index, the element of x there in one dim.",
                                 infer_gather, lower_gather, source_of_gather, sample_gather));
  graph::register_op(indexing_op("take_along_dim", "gather, of operands that were broadcast to each other.",
                                 infer_gather, lower_gather, source_of_gather, sample_gather));
}

}  // namespace sinter::ops
