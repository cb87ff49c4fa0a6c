// SPDX-License-Identifier: Apache-2.0
// Convolution as a sum of products over windows, which are views: what a kernel is generated from where no library
// computes it.
#include <algorithm>

#include "src/ops/convolution.h"
#include "src/ops/extents.h"
#include "src/ops/graph_writer.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::ops {
namespace {

using graph::Value;

class Decomposition {
 public:
  Decomposition(graph::Graph& g, const graph::Node& node)
      : write_(g, node.line), window_(read_window(node.attributes)), spatial_(window_.stride.size()) {}

  GraphWriter& write() { return write_; }

  /// x [N,C,S...] and w [M,C/G,K...] as [N,G,1,J,O...] and [G,M/G,J,1...] with J = C/G * K...: multiplied, and summed
  /// over J.
  Value sum_of_products(Value x, Value w) {
    kernel_ = write_.type(w).shape;
    const Expr batch = write_.type(x).shape[0], outputs = kernel_[0];
    const Value windows = grouped_windows(x);
    const std::vector<Expr> shape = write_.type(windows).shape;
    std::vector<Expr> weights{window_.groups, floordiv(outputs, window_.groups), shape[3]};
    weights.resize(3 + spatial_, Expr(1));
    const Value product = write_.binary<"mul">(windows, write_.reshape(w, weights));
    const Value sum = write_.add(op<"sum">(), {product},
                                 graph::literal_attributes(graph::CallAttributes().integers({3}).flag(false)));
    std::vector<Expr> result{batch, outputs};
    result.insert(result.end(), shape.begin() + 4, shape.end());
    return write_.reshape(sum, result);
  }

  /// x as [N,C,S...].
  Value batched(Value x) {
    std::vector<Expr> shape = write_.type(x).shape;
    if (shape.size() == spatial_ + 1) shape.insert(shape.begin(), Expr(1));
    return channels_first(write_.reshape(x, shape));
  }

  Value channels_first(Value v) {
    if (window_.layout == ConvLayout::channels_first) return v;
    Dims order{0, static_cast<int64_t>(spatial_ + 1)};
    for (size_t d = 0; d < spatial_; ++d) order.push_back(static_cast<int64_t>(1 + d));
    return write_.permute(v, order);
  }

  /// y [N,M,O...] as the call gives it.
  Value result(Value y, const graph::ValueType& type) {
    if (window_.layout == ConvLayout::channels_last) {
      Dims order{0};
      for (size_t d = 0; d < spatial_; ++d) order.push_back(static_cast<int64_t>(2 + d));
      order.push_back(1);
      y = write_.permute(y, order);
    }
    return write_.reshape(write_.cast(y, type.dtype), type.shape);
  }

 private:
  Value grouped_windows(Value x) {
    Value v = pad(x);
    for (size_t d = 0; d < spatial_; ++d) v = unfold(v, d);
    Dims order{0, 1};  // of [N,C,O...,K...]
    for (size_t d = 0; d < spatial_; ++d) order.push_back(static_cast<int64_t>(2 + spatial_ + d));
    for (size_t d = 0; d < spatial_; ++d) order.push_back(static_cast<int64_t>(2 + d));
    v = write_.permute(v, order);
    const std::vector<Expr>& windows = write_.type(v).shape;
    const std::span<const Expr> folded = std::span(windows).subspan(1, 1 + spatial_);
    std::vector<Expr> shape{windows[0], window_.groups, Expr(1)};
    shape.push_back(floordiv(folded[0], window_.groups) * element_count(folded.subspan(1)));
    shape.insert(shape.end(), windows.end() - static_cast<std::ptrdiff_t>(spatial_), windows.end());
    return write_.reshape(v, shape);
  }

  Value pad(Value x) {
    Dims pads;  // from the last dim on
    for (size_t d = spatial_; d-- > 0;) {
      pads.push_back(window_.before[d]);
      pads.push_back(window_.after[d]);
    }
    if (std::ranges::all_of(pads, [](int64_t p) { return p == 0; })) return x;
    const graph::Number zero = graph::Number::of(int64_t{0});
    return write_.add(op<"pad">(), {x}, graph::literal_attributes(graph::CallAttributes().extents(pads).number(zero)));
  }

  /// The windows of a spatial dim, and their elements as a new last dim.
  Value unfold(Value v, size_t d) {
    const int64_t dilation = window_.dilation[d];
    graph::Attributes windows;
    windows.words = {static_cast<int64_t>(2 + d), window_.stride[d]};
    windows.scalars = {extent_attribute((kernel_[2 + d] - 1) * dilation + 1)};
    v = write_.add(op<"unfold">(), {v}, std::move(windows));
    if (dilation == 1) return v;
    return write_.add(op<"slice">(), {v},
                      graph::literal_attributes(
                          graph::CallAttributes().integer(-1).integer(dilation).flag(false).extent(0).extent(0)));
  }

  GraphWriter write_;
  const ConvWindow window_;
  const size_t spatial_;
  std::vector<Expr> kernel_;  ///< shape of the weight, channels first
};

/// The same convolution of a padded input, without padding of its own: libraries compute that at least.
Value without_padding(graph::Graph& g, const graph::Node& node) {
  ConvWindow window = read_window(node.attributes);
  const graph::OpDef& convolution = *node.op;
  std::vector<Value> operands = node.operands;
  Dims pads;  // from the last dim on
  if (window.layout == ConvLayout::channels_last) pads = {0, 0};
  for (size_t d = window.before.size(); d-- > 0;) {
    pads.push_back(window.before[d]);
    pads.push_back(window.after[d]);
  }
  GraphWriter write(g, node.line);
  const graph::Number zero = graph::Number::of(int64_t{0});
  operands[0] = write.add(op<"pad">(), {operands[0]},
                          graph::literal_attributes(graph::CallAttributes().extents(pads).number(zero)));
  window.before = window.after = Dims::filled(window.before.size(), 0);
  return write.add(convolution, std::move(operands), window.attributes());
}

/// The activation as an op that reads the convolution. The same bits: rounding and rectifying commute.
Value without_activation(graph::Graph& g, const graph::Node& node) {
  ConvWindow window = read_window(node.attributes);
  const graph::OpDef& convolution = *node.op;
  const std::vector<Value> operands = node.operands;
  window.activation = ConvActivation::none;
  GraphWriter write(g, node.line);
  return write.add(op<"relu">(), {write.add(convolution, operands, window.attributes())}, {});
}

}  // namespace

std::vector<Value> decompose_convolution(graph::Graph& g, const graph::Node& node) {
  const ConvWindow window = read_window(node.attributes);
  if (window.before != window.after) return {without_padding(g, node)};
  if (window.activation != ConvActivation::none) return {without_activation(g, node)};
  const graph::ValueType result = node.results[0];
  const std::vector<Value> operands = node.operands;
  const DType compute = result.dtype.is_floating() ? scalar::compute_type(result.dtype) : result.dtype;
  Decomposition parts(g, node);
  GraphWriter& write = parts.write();
  const Value x = parts.batched(write.cast(operands[0], compute));
  const Value w = parts.channels_first(write.cast(operands[1], compute));
  Value y = write.cast(parts.sum_of_products(x, w), compute);  // sums of integers are i64
  const size_t rank = write.type(y).shape.size();
  if (operands.size() > 2) y = write.binary<"add">(y, write.column(write.cast(operands[2], compute), rank - 1));
  return {parts.result(y, result)};
}

}  // namespace sinter::ops
