// SPDX-License-Identifier: Apache-2.0
#include "src/ops/convolution.h"

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

Dims for_each_dim(const Dims& list, size_t spatial) { return list.size() == 1 ? Dims::filled(spatial, list[0]) : list; }

/// Numbers before each dim, or after it.
Dims side(const Dims& padding, size_t spatial, size_t which) {
  if (padding.size() != 2 * spatial) return for_each_dim(padding, spatial);
  Dims list;
  for (size_t d = 0; d < spatial; ++d) list.push_back(padding[2 * d + which]);
  return list;
}

graph::CallAttributes call_attributes(const ConvWindow& w) {
  return graph::CallAttributes()
      .integers(w.stride)
      .integers(w.before)
      .integers(w.after)
      .integers(w.dilation)
      .integer(w.groups)
      .enumeration(w.layout)
      .enumeration(w.activation);
}

Tensor convolve(const graph::OpDef& op, Operand& x, Operand& w, Operand* b, const ConvOptions& options) {
  const graph::CallAttributes attributes = call_attributes(convolution_window(options, spatial_dims(op)));
  const bool has_bias = b != nullptr && (!b->is_tensor() || b->tensor().defined());
  return has_bias ? dispatch(op, {&x, &w, b}, attributes) : dispatch(op, {&x, &w}, attributes);
}

}  // namespace

ConvWindow convolution_window(const ConvOptions& options, size_t spatial) {
  return {for_each_dim(options.stride, spatial), side(options.padding, spatial, 0), side(options.padding, spatial, 1),
          for_each_dim(options.dilation, spatial), options.groups};
}

graph::Attributes ConvWindow::attributes() const { return graph::literal_attributes(call_attributes(*this)); }

std::vector<graph::Param> convolution_params() {
  using enum graph::ParamKind;
  return {{"stride", integers},
          {"before", integers},
          {"after", integers},
          {"dilation", integers},
          {"groups", integer},
          {"layout", enumeration, {"channels_first", "channels_last"}},
          {"activation", enumeration, {"none", "relu"}}};
}

ConvWindow read_window(const graph::Attributes& attributes) {
  graph::AttributeReader read(attributes);
  ConvWindow w;
  w.stride = read.integers();
  w.before = read.integers();
  w.after = read.integers();
  w.dilation = read.integers();
  w.groups = read.integer();
  w.layout = read.enumeration<ConvLayout>();
  w.activation = read.enumeration<ConvActivation>();
  return w;
}

size_t spatial_dims(const graph::OpDef& op) {
  return op.name == "conv1d" ? 1 : op.name == "conv2d" ? 2 : op.name == "conv3d" ? 3 : 0;
}

}  // namespace sinter::ops

namespace sinter {

Tensor conv1d(Operand x, Operand w, ConvOptions options) {
  return ops::convolve(ops::op<"conv1d">(), x, w, nullptr, options);
}
Tensor conv1d(Operand x, Operand w, Operand b, ConvOptions options) {
  return ops::convolve(ops::op<"conv1d">(), x, w, &b, options);
}
Tensor conv2d(Operand x, Operand w, ConvOptions options) {
  return ops::convolve(ops::op<"conv2d">(), x, w, nullptr, options);
}
Tensor conv2d(Operand x, Operand w, Operand b, ConvOptions options) {
  return ops::convolve(ops::op<"conv2d">(), x, w, &b, options);
}
Tensor conv3d(Operand x, Operand w, ConvOptions options) {
  return ops::convolve(ops::op<"conv3d">(), x, w, nullptr, options);
}
Tensor conv3d(Operand x, Operand w, Operand b, ConvOptions options) {
  return ops::convolve(ops::op<"conv3d">(), x, w, &b, options);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

void register_one(std::string_view name, std::string_view doc, size_t spatial) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::call;
  def.min_operands = 2;
  def.max_operands = 3;
  def.params = convolution_params();
  def.infer = infer_convolution;
  def.decompose = decompose_convolution;
  def.call = graph::CallRule{
      [](const graph::Node&, size_t, graph::OperandLayout& layout) { return graph::reads_dense(layout); }};
  def.reference = reference_convolution;
  def.sample = sample_list([spatial] { return sample_convolution(spatial); });
  graph::register_op(std::move(def));
}

}  // namespace

void register_convolution() {
  register_one("conv1d", "Cross-correlation of [N,C,L] with weights [M, C / groups, K], plus an optional bias [M].", 1);
  register_one("conv2d", "Cross-correlation of [N,C,H,W] with weights [M, C / groups, KH, KW], plus an optional bias.",
               2);
  register_one("conv3d", "Cross-correlation of [N,C,D,H,W] with weights [M, C / groups, KD, KH, KW], plus a bias.", 3);
}

}  // namespace sinter::ops
