// SPDX-License-Identifier: Apache-2.0
#include "src/ops/accumulate.h"

#include <fmt/format.h>

#include "src/loop/reader.h"
#include "src/ops/checked_position.h"
#include "src/ops/describe.h"
#include "src/ops/element_position.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::ReduceKind;

/// The folds of integers that do not depend on an order, in the order of the parameter's names.
enum class Fold : uint8_t { sum, amax, amin };

ReduceKind kind_of(Fold fold) {
  return fold == Fold::sum ? ReduceKind::sum : fold == Fold::amax ? ReduceKind::amax : ReduceKind::amin;
}

struct AccumulateAttributes {
  ReduceKind fold;
  Expr size;
};

AccumulateAttributes read_accumulate_attributes(graph::AttributeReader attributes) {
  const Fold fold = attributes.enumeration<Fold>();
  return {kind_of(fold), attributes.extent()};
}

std::vector<graph::ValueType> infer_accumulate(graph::InferContext& context) {
  const graph::ValueType &values = context.operand(0), &positions = context.operand(1);
  const Expr size = read_accumulate_attributes(context.attributes()).size;
  const DType t = values.dtype;
  if (t != i32 && t != u32 && t != i64 && t != u64)
    context.fail(fmt::format("expected integers of 32 or 64 bits, got {}", describe(values)));
  if (positions.dtype != i64) context.fail(fmt::format("expected positions of i64, got {}", describe(positions)));
  bool same = values.shape.size() == positions.shape.size();
  for (size_t d = 0; same && d < values.shape.size(); ++d)
    same = context.same_extent(values.shape[d], positions.shape[d]);
  if (!same) context.fail(fmt::format("{} values at {} positions", describe(values), describe(positions)));
  if (size.is_constant(0) && !is_empty(values.shape))
    context.fail("there is no element to write to", "the indexed dim has extent 0");
  return {{t, {size}}};
}

loop::Contribution contribution(loop::Reader& reader, std::span<const Expr> index) {
  const AccumulateAttributes a = read_accumulate_attributes(reader.attributes());
  const Expr position = checked_position(reader.builder(), reader.read(1, index), a.size);
  return {a.fold, {position}, reader.read(0, index)};
}

reference::Array accumulate_reference(const graph::Node& node, const reference::Array& values,
                                      const reference::Array& positions) {
  const AccumulateAttributes a = read_accumulate_attributes(graph::AttributeReader(node.attributes));
  const int64_t size = literal_extent(a.size);
  reference::Array result = reference::Array::zeros(values.dtype, {size});
  for (int64_t i = 0; i < size; ++i) result.set(i, scalar::reduction_identity(a.fold, values.dtype));
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t at = checked_write(node, positions.at(i), size, false);
    const scalar::Constant both[] = {result.at(at), values.at(i)};
    result.set(at, scalar::evaluate(scalar::fold_op(a.fold), both));
  }
  return result;
}

std::vector<graph::SampleCall> sample_accumulate() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, Fold fold, const Dims& shape, int64_t size) {
    list.push_back(sample_call({sample_type(t, shape), sample_type(i64, shape)},
                               graph::CallAttributes().enumeration(fold).extent(size), 0, 2.9));
  };
  for (const DType t : {i32, u32, i64, u64})
    for (const Fold fold : {Fold::sum, Fold::amax, Fold::amin}) add(t, fold, {17}, 5);
  add(i32, Fold::sum, {3, 100}, 3);
  add(i64, Fold::amax, {}, 4);
  add(i32, Fold::sum, {0}, 3);
  add(i32, Fold::sum, {0}, 0);
  add(i64, Fold::sum, {1025}, 1023);
  return list;
}

}  // namespace

graph::Value accumulate(Composer& c, ReduceKind fold, graph::Value values, graph::Value positions, Expr size) {
  const Fold f = fold == ReduceKind::sum ? Fold::sum : fold == ReduceKind::amax ? Fold::amax : Fold::amin;
  graph::Attributes attributes = graph::literal_attributes(graph::CallAttributes().enumeration(f).extent(0));
  attributes.scalars[0].expr = size;
  return c.call(op<"accumulate">(), {values, positions}, std::move(attributes));
}

graph::CallAttributes accumulate_sums(int64_t size) {
  return graph::CallAttributes().enumeration(Fold::sum).extent(size);
}

void register_accumulate() {
  graph::OpDef def;
  def.name = "accumulate";
  def.doc = "Integers folded into the elements at positions that are data, where the fold's identity stands at first.";
  def.op_class = graph::OpClass::accumulation;
  def.min_operands = def.max_operands = 2;
  def.params = {{"fold", graph::ParamKind::enumeration, {"sum", "amax", "amin"}}, {"size", graph::ParamKind::extent}};
  def.infer = infer_accumulate;
  def.accumulate = contribution;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{accumulate_reference(node, operands[0], operands[1])};
  };
  def.sample = sample_list(sample_accumulate);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
