// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// 7 dims at most fit a call's values beside the fill.
graph::CallAttributes pad_attributes(const Dims& pads, graph::Number value) {
  return graph::CallAttributes().extents(pads).number(value);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor pad(Operand x, const Dims& pads, Operand value) {
  ops::require_number(value, "pad");
  if (x.is_tensor() && x.tensor().defined())  // here as well: promoted numbers, on every call
    ops::check_fits("pad", ops::number_of(value), x.tensor().dtype(), x.line());
  return ops::dispatch(ops::op<"pad">(), {&x}, ops::pad_attributes(pads, ops::number_of(value)));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

/// Elements added before and after a dim; negative ones are removed.
struct Margin {
  Expr before, after;
};

/// Margins by dim, from the pads that start with the last dim.
std::vector<Margin> margins_of(graph::AttributeReader& attributes, size_t rank) {
  const std::vector<Expr> pads = attributes.extents();
  std::vector<Margin> margins(rank);
  for (size_t i = 0; i + 1 < pads.size(); i += 2) margins[rank - 1 - i / 2] = {pads[i], pads[i + 1]};
  return margins;
}

std::vector<graph::ValueType> infer_pad(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  graph::ValueType result = context.operand(0);
  const size_t count = context.attributes().extents().size();
  if (count % 2 != 0 || count / 2 > result.shape.size())
    context.fail(fmt::format("{} pads for {}", count, describe(result)),
                 "give two pads, before and after, for each of the last dims");
  const auto margins = margins_of(attributes, result.shape.size());
  check_fits(context, attributes.number(), result.dtype);
  for (size_t d = 0; d < margins.size(); ++d) {
    const auto& [before, after] = margins[d];
    const Expr kept = simplify_extent(result.shape[d] + min(before, 0) + min(after, 0));
    if (!context.same_extent(simplify_extent(max(kept, 0)), kept))
      context.fail(fmt::format("pads {} and {} remove more than dim {} of {} has", before.text(), after.text(), d,
                               describe(result)));
    result.shape[d] = simplify_extent(result.shape[d] + before + after);
  }
  return {result};
}

loop::Value lower_pad(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const graph::ValueType& x = reader.operand_type(0);
  const auto margins = margins_of(attributes, index.size());
  std::vector<Expr> source(index.begin(), index.end());
  loop::Value mask;
  const auto require = [&](loop::Value condition) { mask = mask.id < 0 ? condition : b.bit_and(mask, condition); };
  for (size_t d = 0; d < index.size(); ++d) {
    const auto& [before, after] = margins[d];
    source[d] = index[d] - before;
    const Expr extent = reader.result_type().shape[d] + x.shape[d];  // holds every index either side can have
    if (before.constant().value_or(1) > 0) require(not_negative(b, source[d], extent));
    if (after.constant().value_or(1) > 0) {
      const DType t = index_type(extent);
      require(b.lt(b.body().index_value(source[d], t), b.body().index_value(x.shape[d], t)));
    }
  }
  if (mask.id < 0) return reader.read(0, source);
  const loop::Value fill = reader.number(attributes.number(), scalar::compute_type(x.dtype));
  return reader.read_masked(0, source, mask, b.round_to(fill, x.dtype));
}

Source source_of_pad(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims pads = literal_extents(attributes.extents());
  const Dims shape = context.shape();
  Source source{0, index};
  for (size_t i = 0; i < pads.size(); i += 2) {
    const size_t d = index.size() - 1 - i / 2;
    source.index[d] -= pads[i];
    if (source.index[d] < 0 || source.index[d] >= shape[d]) source.operand = -1;
  }
  source.fill = literal_number(attributes.number(), context.node.results[0].dtype);
  return source;
}

std::vector<graph::SampleCall> sample_pad() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& pads, Number value) {
    list.push_back(sample_call({sample_type(t, shape)}, pad_attributes(pads, value)));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, {1, 2, 0, 3}, Number::of(1));
  for (const DType t : {f16, bf16, f32, f64, i32}) add(t, {16}, {3, 0}, Number::of(2.7));
  add(f32, {17}, {-2, 3}, Number::of(-0.5));
  add(f32, {2, 17, 3}, {0, 0, -1, -4}, Number::of(0));
  add(f32, {0}, {2, 2}, Number::of(7));
  add(f32, {3, 1}, {}, Number::of(7));
  add(f32, {}, {}, Number::of(7));
  add(f32, {1023}, {1, 0}, Number::of(true));
  add(f32, {4}, {-4, 2}, Number::of(7));
  return list;
}

}  // namespace

void register_pad() {
  graph::OpDef def;
  def.name = "pad";
  def.doc = "Adds elements of one value before and after the last dims, or removes some where a pad is negative.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"pads", graph::ParamKind::extents}, {"value", graph::ParamKind::number}};
  def.infer = infer_pad;
  def.lower = lower_pad;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_pad)};
  };
  def.sample = sample_list(sample_pad);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
