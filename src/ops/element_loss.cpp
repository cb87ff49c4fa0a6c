// SPDX-License-Identifier: Apache-2.0
#include "src/ops/element_loss.h"

#include <fmt/format.h>

#include "src/ops/arguments.h"
#include "src/ops/describe.h"
#include "src/ops/float_operand.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/reference/elementwise.h"

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;
using scalar::Constant;

std::vector<graph::ValueType> infer(const ElementLoss& loss, graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const auto reduction = attributes.enumeration<Reduction>();
  if (!loss.has_batch_mean) refuse_batch_mean(context, reduction);
  require_operands(context, loss.operands ? loss.operands(attributes) : 2);
  for (size_t i = 0; i < context.operand_count(); ++i) require_floating(context, i);
  const auto types = argument_types(operand_arguments(context.operand_count()),
                                    [&](size_t i) -> const graph::ValueType& { return context.operand(i); });
  const DType dtype = common_dtype(context, types);
  if (reduction == Reduction::batch_mean && context.operand(0).rank() == 0)
    context.fail("a 0-d tensor has no batch", "take Reduction::mean or Reduction::sum");
  return {{dtype, reduced_loss_shape(context.broadcast_operands(), reduction)}};
}

std::vector<Value> decompose(const ElementLoss& loss, Graph& g, const Node& node) {
  Composer c(g, node.line);
  graph::AttributeReader attributes(node.attributes);
  const auto reduction = attributes.enumeration<Reduction>();
  const DType dtype = node.results[0].dtype;
  std::vector<Value> operands;
  for (Value v : node.operands) operands.push_back(c.to(v, scalar::compute_type(dtype)));
  const graph::ValueType x = c.type(operands[0]);
  const graph::Expr batch = x.rank() > 0 ? x.shape[0] : graph::Expr(1);
  return {c.to(reduced_loss(c, loss.compose(c, operands, attributes), reduction, batch), dtype)};
}

template <class T>
Constant element(T (*f)(std::span<const T>, graph::AttributeReader), std::span<const Constant> operands,
                 const graph::AttributeReader& rest) {
  std::vector<T> values;
  for (const Constant& c : operands) values.push_back(number_from<T>(c));
  return constant_from(f(values, rest));
}

std::vector<Array> reference_loss(const ElementLoss& loss, const Node& node, std::span<const Array> operands) {
  graph::AttributeReader attributes(node.attributes);
  const auto reduction = attributes.enumeration<Reduction>();
  const DType dtype = node.results[0].dtype, compute = scalar::compute_type(dtype);
  const Array losses = reference::map_elements(compute, compute, operands, [&](std::span<const Constant> v) {
    return compute == f64 ? element(loss.of_doubles, v, attributes) : element(loss.of_floats, v, attributes);
  });
  const int64_t batch = operands[0].shape.empty() ? 1 : operands[0].shape[0];
  return {converted(reduced_loss(losses, reduction, batch), dtype)};
}

/// The reduction, then a form's attributes.
graph::SampleCall sample(const ElementLoss& loss, std::vector<graph::ValueType> operands, Reduction reduction,
                         const graph::CallAttributes& form) {
  graph::SampleCall call =
      sample_call(std::move(operands), graph::CallAttributes().enumeration(reduction), loss.low, loss.high);
  const graph::Attributes rest = graph::literal_attributes(form);
  call.attributes.words.insert(call.attributes.words.end(), rest.words.begin(), rest.words.end());
  call.attributes.scalars = rest.scalars;
  return call;
}

std::vector<graph::SampleCall> samples(const ElementLoss& loss) {
  std::vector<graph::SampleCall> list;
  for (const auto& [form, count] : loss.forms) {
    const auto add = [&](DType x, DType t, const Dims& shape, const Dims& target, Reduction reduction) {
      std::vector<graph::ValueType> operands{sample_type(x, shape)};
      for (int i = 1; i < count; ++i) operands.push_back(sample_type(t, target));
      list.push_back(sample(loss, operands, reduction, form));
    };
    for (const DType t : {f16, bf16, f32, f64}) add(t, t, {7, 17}, {7, 17}, Reduction::mean);
    add(f32, f32, {5, 7}, {7}, Reduction::none);
    add(f16, f32, {2, 3, 4}, {2, 3, 4}, Reduction::sum);
    add(f32, f32, {3, 1100}, {3, 1}, loss.has_batch_mean ? Reduction::batch_mean : Reduction::mean);
    add(f32, f32, {0}, {0}, Reduction::sum);
    add(f32, f32, {}, {}, Reduction::mean);
  }
  return list;
}

}  // namespace

void register_element_loss(const ElementLoss& loss) {
  graph::OpDef def;
  def.name = loss.name;
  def.doc = loss.doc;
  def.op_class = graph::OpClass::reduction;
  def.min_operands = 2;
  def.max_operands = loss.most_operands;
  def.params = {reduction_param()};
  def.params.insert(def.params.end(), loss.params.begin(), loss.params.end());
  def.infer = [loss](graph::InferContext& context) { return infer(loss, context); };
  def.decompose = [loss](Graph& g, const Node& node) { return decompose(loss, g, node); };
  def.reference = [loss](const Node& node, std::span<const Array> operands) {
    return reference_loss(loss, node, operands);
  };
  def.sample = sample_list([loss] { return samples(loss); });
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
