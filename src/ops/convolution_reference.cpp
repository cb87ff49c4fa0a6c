// SPDX-License-Identifier: Apache-2.0
#include "src/ops/convolution.h"
#include "src/reference/reduce.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::ops {
namespace {

using reference::Array;
using scalar::Constant;
using scalar::ScalarOp;

Constant apply(ScalarOp op, const Constant& a, const Constant& b) {
  const Constant operands[] = {a, b};
  return scalar::evaluate(op, operands);
}

/// Values of a storage dtype in the type that their products are summed in.
Constant widened(const Constant& v, DType sum) {
  return v.dtype == sum ? v : scalar::constant_int(sum, scalar::as_int(v));
}

/// The index of a tensor in the call's layout, from a batch (none: -1), a channel, and a place by spatial dim.
Dims index_of(const ConvWindow& window, int64_t batch, int64_t channel, const Dims& place) {
  Dims index;
  if (batch >= 0) index.push_back(batch);
  if (window.layout == ConvLayout::channels_first) index.push_back(channel);
  for (int64_t i : place) index.push_back(i);
  if (window.layout == ConvLayout::channels_last) index.push_back(channel);
  return index;
}

Constant rectified(const Constant& v) {
  const Constant zero = scalar::constant_int(v.dtype, 0);
  const Constant operands[] = {apply(ScalarOp::lt, v, zero), zero, v};
  return scalar::evaluate(ScalarOp::select, operands);
}

/// One convolution of arrays in the call's layout.
class Convolution {
 public:
  Convolution(const graph::Node& node, std::span<const Array> operands)
      : window_(read_window(node.attributes)),
        x_(operands[0]),
        w_(operands[1]),
        bias_(operands.size() > 2 ? &operands[2] : nullptr),
        sum_(x_.dtype.is_floating() ? scalar::compute_type(x_.dtype) : i64) {
    for (graph::Expr e : node.results[0].shape) result_.push_back(*e.constant());
    kernel_.push_back(w_.shape[window_.channel_dim(w_.shape.size())]);
    for (size_t d = 0; d < window_.stride.size(); ++d)
      kernel_.push_back(w_.shape[window_.spatial_dim(w_.shape.size(), d)]);
  }

  Array run() const {
    Array result = Array::zeros(x_.dtype, result_);
    reference::for_each_index(result_, [&](const Dims& index) {
      Constant y = element(index);
      if (window_.activation == ConvActivation::relu) y = rectified(y);
      result.set(index, reference::rounded(y, x_.dtype));
    });
    return result;
  }

 private:
  Constant element(const Dims& output) const {
    const int64_t m = output[window_.channel_dim(output.size())];
    const int64_t first = m / (w_.shape[0] / window_.groups) * kernel_[0];
    std::vector<Constant> products;
    reference::for_each_index(kernel_, [&](const Dims& k) {
      const Dims place(k.span().subspan(1));
      const Constant w = widened(w_.at(index_of(window_, m, k[0], place)), sum_);
      products.push_back(apply(ScalarOp::mul, input(output, first + k[0], place), w));
    });
    Constant y = reference::fold(graph::ReduceKind::sum, sum_, products);
    if (bias_ != nullptr) y = apply(ScalarOp::add, y, widened(bias_->at(Dims{m}), sum_));
    const DType compute = scalar::compute_type(x_.dtype);
    return compute == sum_ ? y : reference::rounded(scalar::constant_int(compute, scalar::as_int(y)), x_.dtype);
  }

  /// The element of x under an element of the kernel; 0 in the padding.
  Constant input(const Dims& output, int64_t channel, const Dims& kernel) const {
    Dims place;
    for (size_t d = 0; d < kernel.size(); ++d) {
      const int64_t i = output[window_.spatial_dim(output.size(), d)] * window_.stride[d] +
                        kernel[d] * window_.dilation[d] - window_.before[d];
      if (i < 0 || i >= x_.shape[window_.spatial_dim(x_.shape.size(), d)]) return scalar::constant_int(sum_, 0);
      place.push_back(i);
    }
    const bool batched = output.size() == kernel.size() + 2;
    return widened(x_.at(index_of(window_, batched ? output[0] : -1, channel, place)), sum_);
  }

  const ConvWindow window_;
  const Array& x_;
  const Array& w_;
  const Array* bias_;
  const DType sum_;  ///< type that products are summed in
  Dims result_;      ///< shape
  Dims kernel_;      ///< channels of a group, then spatial extents
};

}  // namespace

std::vector<Array> reference_convolution(const graph::Node& node, std::span<const Array> operands) {
  return {Convolution(node, operands).run()};
}

}  // namespace sinter::ops
