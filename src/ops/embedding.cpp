// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/indexing.h>
#include <sinter/views.h>

#include <algorithm>
#include <optional>

#include "src/loop/reader.h"
#include "src/ops/checked_position.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// Both shapes broadcast to each other but along `dim`, where each keeps its extent.
std::pair<Dims, Dims> beside(const Dims& x, const Dims& index, size_t dim, SourceLine line) {
  std::pair<Dims, Dims> result;
  for (size_t d = 0; d < x.size(); ++d) {
    if (d != dim && x[d] != index[d] && x[d] != 1 && index[d] != 1)
      refuse("take_along_dim", line,
             fmt::format("cannot broadcast {} with an index of {}: dim {} is {} against {}", x.text(), index.text(), d,
                         x[d], index[d]),
             "give both sides the same extent there, or one of them 1");
    result.first.push_back(d == dim || x[d] != 1 ? x[d] : index[d]);
    result.second.push_back(d == dim || index[d] != 1 ? index[d] : x[d]);
  }
  return result;
}

Operand expanded(const Operand& x, const Dims& shape) {
  return x.tensor().shape() == shape ? borrowed(x) : made(expand(borrowed(x), shape), x.line());
}

/// What gather does, in the words of take_along_dim.
Tensor take(Operand x, size_t dim, Operand index) {
  return dispatch(op<"take_along_dim">(), {&x, &index}, graph::CallAttributes().integer(static_cast<int64_t>(dim)));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor embedding(Operand weight, Operand index) { return ops::dispatch(ops::op<"embedding">(), {&weight, &index}); }

Tensor take_along_dim(Operand x, Operand index, std::optional<int64_t> dim) {
  const Tensor whole = ops::require_tensor(x, "take_along_dim"), at = ops::require_tensor(index, "take_along_dim");
  if (!dim)
    return ops::take(ops::made(flatten(ops::borrowed(x)), x.line()), 0,
                     ops::made(flatten(ops::borrowed(index)), x.line()));
  if (whole.rank() != at.rank())
    ops::refuse("take_along_dim", x.line(),
                fmt::format("an index of rank {} for a tensor of rank {}", at.rank(), whole.rank()),
                "give both the same rank, or no dim");
  const size_t d = ops::require_dim(x, *dim, "take_along_dim");
  const auto [from, to] = ops::beside(whole.shape(), at.shape(), d, x.line());
  return ops::take(ops::expanded(x, from), d, ops::expanded(index, to));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

std::vector<graph::ValueType> infer_embedding(graph::InferContext& context) {
  const graph::ValueType &weight = context.operand(0), &index = context.operand(1);
  if (weight.rank() != 2)
    context.fail(fmt::format("expected a weight of two dims, got {}", describe(weight)), "give [classes, features]");
  if (index.dtype != i32 && index.dtype != i64)
    context.fail(fmt::format("expected an index of i32 or i64, got {}", describe(index)),
                 "cast it with to(index, i64)");
  graph::ValueType result{weight.dtype, index.shape};
  result.shape.push_back(weight.shape[1]);
  return {result};
}

loop::Value lower_embedding(loop::Reader& reader, std::span<const Expr> index) {
  const loop::Value loaded = reader.read(1, index.first(index.size() - 1));
  const Expr row = checked_position(reader.builder(), loaded, reader.operand_type(0).shape[0]);
  const Expr source[] = {row, index.back()};
  return reader.read(0, source);
}

Source source_of_embedding(const ReferenceContext& context, const Dims& index) {
  const int64_t row = checked_element(context, 1, Dims(index.span().first(index.size() - 1)), context.shape(0)[0]);
  return {0, {row, index.back()}};
}

std::vector<graph::SampleCall> sample_embedding() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& weight, DType index_dtype, const Dims& index) {
    list.push_back(sample_call({sample_type(t, weight), sample_type(index_dtype, index)}, {}, 0, 2.9));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, i64, {3, 4});
  add(f32, {3, 64}, i32, {17});
  add(f32, {4, 5}, i64, {});
  add(f32, {4, 5}, i64, {0, 3});
  add(f32, {4, 0}, i64, {3});
  add(f16, {3, 33}, i32, {2, 3, 5});
  return list;
}

}  // namespace

void register_embedding() {
  graph::OpDef def;
  def.name = "embedding";
  def.doc = "The rows of a matrix at indices that are data; negative ones are errors.";
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.infer = infer_embedding;
  def.lower = lower_embedding;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_embedding)};
  };
  def.sample = sample_list(sample_embedding);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
