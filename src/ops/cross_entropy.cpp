// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/losses.h>

#include "src/ops/class_loss.h"
#include "src/ops/families.h"
#include "src/ops/refusals.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::CallAttributes;
using graph::Number;

CallAttributes nll_attributes(Reduction reduction, bool weight, int64_t ignore_index) {
  return CallAttributes().enumeration(reduction).flag(weight).number(Number::of(ignore_index));
}

/// What a class keeps and what is spread are numbers of their own; whether anything is spread is structural.
CallAttributes entropy_attributes(CallAttributes nll, double smoothing) {
  return nll.flag(smoothing != 0).number(Number::of(1 - smoothing)).number(Number::of(smoothing));
}

Tensor class_call(const graph::OpDef& op, Operand& x, Operand& target, const Tensor& weight,
                  const CallAttributes& attributes) {
  if (!weight.defined()) return dispatch(op, {&x, &target}, attributes);
  Operand w(weight, x.line().file, x.line().line);
  return dispatch(op, {&x, &target, &w}, attributes);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor nll_loss(Operand x, Operand target, const NllOptions& options) {
  return ops::class_call(ops::op<"nll_loss">(), x, target, options.weight,
                         ops::nll_attributes(options.reduction, options.weight.defined(), options.ignore_index));
}
Tensor cross_entropy(Operand x, Operand target, const CrossEntropyOptions& options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    ops::refuse("cross_entropy", x.line(), fmt::format("label_smoothing {}", options.label_smoothing),
                "give a number in [0, 1]");
  const auto nll = ops::nll_attributes(options.reduction, options.weight.defined(), options.ignore_index);
  return ops::class_call(ops::op<"cross_entropy">(), x, target, options.weight,
                         ops::entropy_attributes(nll, options.label_smoothing));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

/// Targets in [0, 2.9] are classes where there are three or more; 1 is ignored in some.
std::vector<graph::SampleCall> sample_classes(bool entropy) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, Reduction reduction, bool weight, int64_t ignored,
                       double smoothing) {
    const size_t dim = shape.size() == 1 ? 0 : 1;
    Dims target;
    for (size_t d = 0; d < shape.size(); ++d)
      if (d != dim) target.push_back(shape[d]);
    std::vector<graph::ValueType> operands{sample_type(t, shape), sample_type(i64, target)};
    if (weight) operands.push_back(sample_type(t, {shape[dim]}));
    const CallAttributes nll = nll_attributes(reduction, weight, ignored);
    list.push_back(sample_call(operands, entropy ? entropy_attributes(nll, smoothing) : nll, 0, 2.9));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {17, 7}, Reduction::mean, true, 1, 0.1);
    add(t, {5, 40}, Reduction::mean, false, -100, 0);
  }
  add(f32, {2, 3, 4, 5}, Reduction::none, true, 1, 0.25);
  add(f32, {2, 3, 16}, Reduction::none, false, 1, 0);
  add(f32, {7, 1100}, Reduction::sum, true, -100, 0.1);
  add(f32, {5}, Reduction::mean, true, -100, 0.1);
  add(f32, {0, 3}, Reduction::mean, false, -100, 0);
  return list;
}

std::vector<graph::SampleCall> sample_entropy() {
  std::vector<graph::SampleCall> list = sample_classes(true);
  const auto add = [&](DType t, const Dims& shape, Reduction reduction, bool weight, double smoothing) {
    std::vector<graph::ValueType> operands{sample_type(t, shape), sample_type(t, shape)};
    if (weight) operands.push_back(sample_type(t, {shape.size() == 1 ? shape[0] : shape[1]}));
    list.push_back(
        sample_call(operands, entropy_attributes(nll_attributes(reduction, weight, -100), smoothing), 0, 2.9));
  };
  for (const DType t : {f16, f32}) add(t, {7, 17}, Reduction::mean, true, 0.1);
  add(f32, {2, 3, 5}, Reduction::none, false, 0);
  add(f32, {4}, Reduction::sum, false, 0.5);
  return list;
}

graph::OpDef class_op(std::string_view name, std::string_view doc) {
  using graph::ParamKind;
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.min_operands = 2;
  def.max_operands = 3;
  def.params = {reduction_param(), {"weight", ParamKind::flag}, {"ignore_index", ParamKind::number}};
  return def;
}

}  // namespace

void register_class_losses() {
  using graph::ParamKind;
  graph::OpDef nll = class_op("nll_loss", "-weight[target] * x[target], x being logarithms of probabilities.");
  nll.infer = infer_nll;
  nll.decompose = decompose_nll;
  nll.reference = reference_nll;
  nll.sample = sample_list([] { return sample_classes(false); });
  graph::register_op(std::move(nll));
  graph::OpDef entropy =
      class_op("cross_entropy", "nll_loss of log_softmax(x), for class indices or probabilities, perhaps smoothed.");
  entropy.params.push_back({"smoothing", ParamKind::flag});
  entropy.params.push_back({"kept", ParamKind::number});
  entropy.params.push_back({"spread", ParamKind::number});
  entropy.infer = infer_cross_entropy;
  entropy.decompose = decompose_cross_entropy;
  entropy.reference = reference_cross_entropy;
  entropy.sample = sample_list(sample_entropy);
  graph::register_op(std::move(entropy));
}

}  // namespace sinter::ops
