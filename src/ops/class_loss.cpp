// SPDX-License-Identifier: Apache-2.0
#include "src/ops/class_loss.h"

#include <fmt/format.h>

#include "src/ops/describe.h"
#include "src/ops/float_operand.h"

namespace sinter::ops {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::Value;

ClassAttributes read_class_attributes(graph::AttributeReader attributes, bool entropy) {
  const auto reduction = attributes.enumeration<Reduction>();
  const bool weighted = attributes.flag();
  ClassAttributes a{reduction, weighted, attributes.number()};
  if (!entropy) return a;
  a.smooth = attributes.flag();
  a.kept = &attributes.number();
  a.spread = &attributes.number();
  return a;
}

namespace {

/// The shape of the losses. Fails unless x has a dim of classes and the weight is one for each of them.
std::vector<Expr> checked_shape(graph::InferContext& context, const ClassAttributes& a) {
  refuse_batch_mean(context, a.reduction);
  require_operands(context, a.weighted ? 3 : 2);
  require_floating(context, 0);
  std::vector<Expr> shape = context.operand(0).shape;
  if (shape.empty()) context.fail("a 0-d tensor has no classes", "give [C] or [N, C, ...]");
  const size_t dim = class_dim(shape.size());
  if (shape[dim].is_constant(0)) context.fail(fmt::format("{} has no classes", describe(context.operand(0))));
  if (a.weighted) require_parameter(context, 2, "weight", {&shape[dim], 1});
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  return shape;
}

void check_target(graph::InferContext& context, std::span<const Expr> expected) {
  const graph::ValueType& target = context.operand(1);
  bool fits = target.shape.size() == expected.size();
  for (size_t d = 0; fits && d < expected.size(); ++d) fits = context.same_extent(target.shape[d], expected[d]);
  if (!fits)
    context.fail(fmt::format("expected a target of shape {} for {}, got {}", describe(expected),
                             describe(context.operand(0)), describe(target)));
}

void check_classes(graph::InferContext& context, std::span<const Expr> losses) {
  const graph::ValueType& target = context.operand(1);
  if (target.dtype != i64 && target.dtype != i32)
    context.fail(fmt::format("expected class indices of i32 or i64, got {}", describe(target)),
                 "cast them with to(target, i64)");
  check_target(context, losses);
}

}  // namespace

std::vector<graph::ValueType> infer_nll(graph::InferContext& context) {
  const ClassAttributes a = read_class_attributes(context.attributes(), false);
  const std::vector<Expr> losses = checked_shape(context, a);
  check_classes(context, losses);
  return {{context.operand(0).dtype, reduced_loss_shape(losses, a.reduction)}};
}

std::vector<graph::ValueType> infer_cross_entropy(graph::InferContext& context) {
  const ClassAttributes a = read_class_attributes(context.attributes(), true);
  const std::vector<Expr> losses = checked_shape(context, a);
  if (context.operand(1).dtype.is_floating())
    check_target(context, context.operand(0).shape);
  else
    check_classes(context, losses);
  return {{context.operand(0).dtype, reduced_loss_shape(losses, a.reduction)}};
}

namespace {

/// Targets that index the dim of classes, and which of them count nothing.
class ClassPicker {
 public:
  ClassPicker(Composer& c, const Node& node, Value x, const ClassAttributes& a)
      : c_(c), type_(c.type(x)), dim_(static_cast<int64_t>(class_dim(type_.shape.size()))) {
    const Value target = node.operands[1];
    ignored_ = c.binary<"eq">(target, a.ignored);
    const Value safe = c.where(ignored_, graph::Number::of(0), target);
    index_ = c.call(op<"unsqueeze">(), {safe}, graph::CallAttributes().integer(dim_));
    if (a.weighted) weight_ = picked(c.expand(parameter(node), type_.shape));
  }

  /// The element of each target's class.
  Value picked(Value of_classes) {
    const auto attributes = graph::CallAttributes().integer(dim_);
    return c_.squeeze(c_.call(op<"gather">(), {of_classes, index_}, attributes), {dim_});
  }
  Value weighted(Value losses) { return weight_.node < 0 ? losses : c_.binary<"mul">(losses, weight_); }
  Value counted(Value losses) { return c_.where(ignored_, graph::Number::of(0.0), losses); }

  /// The weight of each class, beside x.
  Value parameter(const Node& node) {
    std::vector<Expr> shape(type_.shape.size(), Expr(1));
    shape[static_cast<size_t>(dim_)] = type_.shape[static_cast<size_t>(dim_)];
    return c_.to(c_.reshape(node.operands[2], shape), type_.dtype);
  }

  /// A mean is the sum by the sum of weights.
  Value reduced(Value losses, Reduction reduction) {
    if (reduction != Reduction::mean) return reduced_loss(c_, losses, reduction);
    const Value weights = weight_.node < 0 ? c_.to(c_.unary<"logical_not">(ignored_), type_.dtype) : counted(weight_);
    return c_.binary<"div">(c_.fold<"sum">(losses, {}, false), c_.fold<"sum">(weights, {}, false));
  }

 private:
  Composer& c_;
  graph::ValueType type_;
  int64_t dim_;
  Value ignored_, index_, weight_;
};

/// log_softmax over the dim of classes: (x - largest) - log_sum.
struct LogSoftmax {
  Value centered, largest, log_sum;
};

LogSoftmax log_softmax_of(Composer& c, Value x) {
  const Dims dims{static_cast<int64_t>(class_dim(c.type(x).shape.size()))};
  LogSoftmax s;
  s.largest = c.fold<"amax">(x, dims, true);
  s.centered = c.binary<"sub">(x, s.largest);
  s.log_sum = c.unary<"log">(c.fold<"sum">(c.unary<"exp_approx">(s.centered), dims, true));
  return s;
}

/// spread / number of classes
Value share_of(Composer& c, Value x, const graph::Scalar& spread) {
  const graph::ValueType type = c.type(x);
  return c.binary<"div">(spread, c.count({&type.shape[class_dim(type.shape.size())], 1}, type.dtype));
}

Value smoothed_indices(Composer& c, const Node& node, Value x, const ClassAttributes& a) {
  ClassPicker picker(c, node, x, a);
  const Dims dims{static_cast<int64_t>(class_dim(c.type(x).shape.size()))};
  const LogSoftmax s = log_softmax_of(c, x);
  const Value own =
      c.binary<"sub">(c.binary<"sub">(picker.picked(x), c.squeeze(s.largest, dims)), c.squeeze(s.log_sum, dims));
  Value losses = c.unary<"neg">(picker.weighted(own));
  if (a.smooth) {
    Value all = c.binary<"sub">(s.centered, s.log_sum);
    if (a.weighted) all = c.binary<"mul">(all, picker.parameter(node));
    const Value spread = c.binary<"mul">(c.unary<"neg">(c.fold<"sum">(all, dims, false)), share_of(c, x, *a.spread));
    losses = c.binary<"add">(c.binary<"mul">(losses, *a.kept), spread);
  }
  return picker.reduced(picker.counted(losses), a.reduction);
}

Value of_probabilities(Composer& c, const Node& node, Value x, const ClassAttributes& a) {
  const graph::ValueType type = c.type(x);
  const size_t dim = class_dim(type.shape.size());
  const LogSoftmax s = log_softmax_of(c, x);
  Value target = c.to(node.operands[1], type.dtype);
  if (a.smooth) target = c.binary<"add">(c.binary<"mul">(target, *a.kept), share_of(c, x, *a.spread));
  Value shares = c.binary<"mul">(c.binary<"sub">(s.centered, s.log_sum), target);
  if (a.weighted) {
    std::vector<Expr> shape(type.shape.size(), Expr(1));
    shape[dim] = type.shape[dim];
    shares = c.binary<"mul">(shares, c.to(c.reshape(node.operands[2], shape), type.dtype));
  }
  return reduced_loss(c, c.unary<"neg">(c.fold<"sum">(shares, {static_cast<int64_t>(dim)}, false)), a.reduction);
}

}  // namespace

std::vector<Value> decompose_nll(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const ClassAttributes a = read_class_attributes(graph::AttributeReader(node.attributes), false);
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype));
  ClassPicker picker(c, node, x, a);
  const Value losses = picker.counted(c.unary<"neg">(picker.weighted(picker.picked(x))));
  return {c.to(picker.reduced(losses, a.reduction), dtype)};
}

std::vector<Value> decompose_cross_entropy(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const ClassAttributes a = read_class_attributes(graph::AttributeReader(node.attributes), true);
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype));
  const bool indices = !c.type(node.operands[1]).dtype.is_floating();
  return {c.to(indices ? smoothed_indices(c, node, x, a) : of_probabilities(c, node, x, a), dtype)};
}

}  // namespace sinter::ops
