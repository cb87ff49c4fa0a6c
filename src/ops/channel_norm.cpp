// SPDX-License-Identifier: Apache-2.0
// Layers that normalise [N, C, ...] with one weight and bias a channel: group_norm, instance_norm, batch_norm_training.
#include <fmt/format.h>
#include <sinter/normalization.h>
#include <sinter/pointwise.h>
#include <sinter/reductions.h>

#include "src/ops/describe.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/host_operand.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/standardize.h"

namespace sinter::ops {
namespace {

graph::CallAttributes channel_attributes(const Tensor& weight, const Tensor& bias, double eps) {
  return affine_attributes(weight, bias).number(graph::Number::of(eps));
}

/// (1 - momentum) * old + momentum * statistic
Tensor moved(const Tensor& old, Tensor statistic, double momentum, SourceLine line) {
  const auto weighted = [line](double weight, Tensor t) {
    return Operand(weight, line.file, line.line) * std::move(t);
  };
  Tensor now = weighted(momentum, to(made(std::move(statistic), line), old.dtype()));
  return made(weighted(1 - momentum, old), line) + std::move(now);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor group_norm(Operand x, int64_t num_groups, const GroupNormOptions& options) {
  const auto attributes = ops::channel_attributes(options.weight, options.bias, options.eps).integer(num_groups);
  return ops::dispatch_affine(ops::op<"group_norm">(), x, options.weight, options.bias, attributes);
}
Tensor instance_norm(Operand x, const GroupNormOptions& options) {
  return ops::dispatch_affine(ops::op<"instance_norm">(), x, options.weight, options.bias,
                              ops::channel_attributes(options.weight, options.bias, options.eps));
}
BatchNormTraining batch_norm_training(Operand x, const BatchNormTrainingOptions& options) {
  const Tensor& whole = ops::require_tensor(x, "batch_norm_training");
  BatchNormTraining result;
  Operand same = ops::borrowed(x);
  result.output = ops::dispatch_affine(ops::op<"batch_norm_training">(), same, options.weight, options.bias,
                                       ops::channel_attributes(options.weight, options.bias, options.eps));
  Dims dims = ops::dims_from(2, static_cast<size_t>(whole.rank()));
  dims.push_back(0);
  if (options.running_mean.defined())
    result.running_mean = ops::moved(options.running_mean, mean(ops::borrowed(x), {dims}), options.momentum, x.line());
  if (options.running_var.defined())
    result.running_var = ops::moved(options.running_var, var(ops::borrowed(x), {dims}), options.momentum, x.line());
  return result;
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

struct ChannelAttributes {
  Affine affine;
  const graph::Scalar& eps;
  int64_t groups;
};

ChannelAttributes read_channel(graph::AttributeReader attributes, bool grouped) {
  const Affine affine = read_affine(attributes);
  const graph::Scalar& eps = attributes.number();
  return {affine, eps, grouped ? attributes.integer() : 0};
}

void check_channels(graph::InferContext& context, const ChannelAttributes& a, int least_rank) {
  require_floating(context, 0);
  require_operands(context, operands_of(a.affine));
  const graph::ValueType& x = context.operand(0);
  if (x.rank() < least_rank)
    context.fail(fmt::format("expected {} dims or more, got {}", least_rank, describe(x)),
                 least_rank == 3 ? "give [N, C, ...] with at least one dim behind" : "give [N, C, ...]");
  const std::span<const Expr> channels = std::span(x.shape).subspan(1, 1);
  if (a.affine.weight >= 0) require_parameter(context, static_cast<size_t>(a.affine.weight), "weight", channels);
  if (a.affine.bias >= 0) require_parameter(context, static_cast<size_t>(a.affine.bias), "bias", channels);
}

std::vector<graph::ValueType> infer_group(graph::InferContext& context) {
  const ChannelAttributes a = read_channel(context.attributes(), true);
  check_channels(context, a, 2);
  const graph::ValueType& x = context.operand(0);
  const Expr channels = x.shape[1];
  if (a.groups < 1 ||
      !context.same_extent(simplify_extent(floordiv(channels, Expr(a.groups)) * Expr(a.groups)), channels))
    context.fail(fmt::format("the {} channels of {} are not {} groups", channels.text(), describe(x), a.groups),
                 "give a number of groups that divides them");
  return {x};
}

void refuse_single(const graph::InferContext& context, std::span<const Expr> folded, std::string_view of) {
  if (element_count(folded).is_constant(1))
    context.fail(fmt::format("one element for each {} of {}: its variance is 0", of, describe(context.operand(0))),
                 fmt::format("give more than one element for each {}", of));
}

std::vector<graph::ValueType> infer_instance(graph::InferContext& context) {
  check_channels(context, read_channel(context.attributes(), false), 3);
  refuse_single(context, std::span(context.operand(0).shape).subspan(2), "channel of a sample");
  return {context.operand(0)};
}

std::vector<graph::ValueType> infer_batch(graph::InferContext& context) {
  check_channels(context, read_channel(context.attributes(), false), 2);
  std::vector<Expr> folded = context.operand(0).shape;
  folded.erase(folded.begin() + 1);
  refuse_single(context, folded, "channel");
  return {context.operand(0)};
}

/// [1, C, 1, ...] of a rank, or with the channels in several dims.
template <class Extent>
std::vector<Extent> beside_channels(std::vector<Extent> channels, size_t rank) {
  std::vector<Extent> shape{Extent(1)};
  shape.insert(shape.end(), channels.begin(), channels.end());
  shape.resize(rank, Extent(1));
  return shape;
}

/// Groups are a dim of their own: [N, G, C / G, ...].
std::vector<Value> decompose_group(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const ChannelAttributes a = read_channel(graph::AttributeReader(node.attributes), true);
  const graph::ValueType type = node.results[0];
  const std::vector<Expr> channels{Expr(a.groups), simplify_extent(floordiv(type.shape[1], Expr(a.groups)))};
  std::vector<Expr> grouped{type.shape[0]};
  grouped.insert(grouped.end(), channels.begin(), channels.end());
  grouped.insert(grouped.end(), type.shape.begin() + 2, type.shape.end());
  const Value x = c.reshape(c.to(node.operands[0], scalar::compute_type(type.dtype)), grouped);
  const Value y = standardized(c, x, dims_from(2, grouped.size()), a.eps);
  return {
      c.to(c.reshape(affine(c, y, node, a.affine, beside_channels(channels, grouped.size())), type.shape), type.dtype)};
}

std::vector<Value> decompose_channel(Graph& g, const Node& node, bool of_batch) {
  Composer c(g, node.line);
  const ChannelAttributes a = read_channel(graph::AttributeReader(node.attributes), false);
  const graph::ValueType type = node.results[0];
  const size_t rank = type.shape.size();
  Dims dims = dims_from(2, rank);
  if (of_batch) dims.push_back(0);
  const Value y = standardized(c, c.to(node.operands[0], scalar::compute_type(type.dtype)), dims, a.eps);
  return {c.to(affine(c, y, node, a.affine, beside_channels<Expr>({type.shape[1]}, rank)), type.dtype)};
}

std::vector<Array> reference_channel(const Node& node, std::span<const Array> operands, const Dims& grouped,
                                     const Dims& dims, const ChannelAttributes& a) {
  const Array& x = operands[0];
  const Array wide = converted(x, scalar::compute_type(x.dtype));
  const Array y = reshaped(standardized(reshaped(wide, grouped), dims, a.eps.literal.as_double()), x.shape);
  const std::vector<int64_t> parameter = beside_channels<int64_t>({x.shape[1]}, x.shape.size());
  return {converted(affine(y, operands, a.affine, Dims(parameter)), node.results[0].dtype)};
}

std::vector<Array> reference_group(const Node& node, std::span<const Array> operands) {
  const ChannelAttributes a = read_channel(graph::AttributeReader(node.attributes), true);
  const Dims& shape = operands[0].shape;
  Dims grouped{shape[0], a.groups, shape[1] / a.groups};
  for (size_t d = 2; d < shape.size(); ++d) grouped.push_back(shape[d]);
  return reference_channel(node, operands, grouped, dims_from(2, grouped.size()), a);
}

template <bool of_batch>
std::vector<Array> reference_ungrouped(const Node& node, std::span<const Array> operands) {
  const Dims& shape = operands[0].shape;
  Dims dims = of_batch ? Dims{0} : Dims{};
  for (int64_t d : dims_from(2, shape.size())) dims.push_back(d);
  return reference_channel(node, operands, shape, dims, read_channel(graph::AttributeReader(node.attributes), false));
}

std::vector<graph::SampleCall> sample_channel(bool grouped, bool needs_spatial) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, DType p, const Dims& shape, int64_t groups, bool weight, bool bias, double low,
                       double high) {
    std::vector<graph::ValueType> operands{sample_type(t, shape)};
    for (bool given : {weight, bias})
      if (given) operands.push_back(sample_type(p, {shape[1]}));
    auto attributes = graph::CallAttributes().flag(weight).flag(bias).number(graph::Number::of(1e-5));
    if (grouped) attributes.integer(groups);
    list.push_back(sample_call(operands, attributes, low, high));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, t, {3, 6, 5}, 3, true, true, 0, 8);
    add(t, t, {2, 4, 16, 17}, 2, false, false, -300, 300);
  }
  add(bf16, f32, {2, 4, 7}, 1, true, false, 0, 3);
  add(f32, f32, {2, 2, 1100}, 2, false, true, 0, 9);
  add(f32, f32, {0, 4, 3}, 2, true, true, 0, 3);
  if (!needs_spatial) add(f32, f32, {17, 6}, 2, true, true, 0, 3);
  return list;
}

graph::OpDef channel_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.max_operands = 3;
  def.params = affine_params();
  def.params.push_back({"eps", graph::ParamKind::number});
  return def;
}

}  // namespace

void register_channel_norm() {
  graph::OpDef group = channel_op("group_norm", "layer_norm over groups of channels, with one weight a channel.");
  group.params.push_back({"num_groups", graph::ParamKind::integer});
  group.infer = infer_group;
  group.decompose = decompose_group;
  group.reference = reference_group;
  group.sample = sample_list([] { return sample_channel(true, false); });
  graph::register_op(std::move(group));
  graph::OpDef instance = channel_op("instance_norm", "layer_norm over each channel of each sample.");
  instance.infer = infer_instance;
  instance.decompose = [](Graph& g, const Node& node) { return decompose_channel(g, node, false); };
  instance.reference = reference_ungrouped<false>;
  instance.sample = sample_list([] { return sample_channel(false, true); });
  graph::register_op(std::move(instance));
  graph::OpDef batch = channel_op("batch_norm_training", "Each channel normalised by its statistics over the batch.");
  batch.infer = infer_batch;
  batch.decompose = [](Graph& g, const Node& node) { return decompose_channel(g, node, true); };
  batch.reference = reference_ungrouped<true>;
  batch.sample = sample_list([] { return sample_channel(false, false); });
  graph::register_op(std::move(batch));
}

}  // namespace sinter::ops
