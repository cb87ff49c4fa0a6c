// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn/convolution.h"

#include <algorithm>

namespace sinter::exec::cudnn {
namespace {

enum Id : int64_t { x_id = 1, w_id, bias_id, y_id, sum_id, biased_id };

std::vector<int64_t> list(const Dims& d) { return {d.begin(), d.end()}; }

TensorShape shape_of(const ConvolutionCall& call, const Dims& dims) {
  const cudnnDataType_t type = call.dtype == f16    ? CUDNN_DATA_HALF
                               : call.dtype == bf16 ? CUDNN_DATA_BFLOAT16
                                                    : CUDNN_DATA_FLOAT;
  return {type, list(dims), list(call.strides(dims)), call.alignment};
}

/// The operations of one plan.
class Operations {
 public:
  explicit Operations(const ConvolutionCall& call) : call_(call) {}
  const std::vector<Descriptor>& list() const { return operations_; }

  void convolve(const Descriptor& x, const Descriptor& w, const Descriptor& y) {
    const int64_t spatial = std::ssize(call_.stride.span());
    Descriptor window(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    window.data_type(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
        .enumerator(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
        .integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, spatial)
        .integers(CUDNN_ATTR_CONVOLUTION_DILATIONS, call_.dilation.span())
        .integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, call_.stride.span())
        .integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, call_.before.span())
        .integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, call_.after.span())
        .finalize();
    operations_.emplace_back(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
        .descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, window)
        .descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
        .descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w)
        .descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
        .real(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1)
        .real(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0)
        .finalize();
  }

  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor* b, const Descriptor& y) {
    Descriptor what(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    what.enumerator(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
        .data_type(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT)
        .finalize();
    Descriptor& op = operations_.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    op.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, what)
        .descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x)
        .descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    if (b != nullptr) op.descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
    op.finalize();
  }

 private:
  const ConvolutionCall& call_;
  std::vector<Descriptor> operations_;
};

Precision precision_of(const ConvolutionCall& call) { return {call.dtype == f32}; }

/// What follows the convolution: from `from` to y.
void add_rest(Operations& operations, const ConvolutionCall& call, const Descriptor& from, const Descriptor& y) {
  const TensorShape result = shape_of(call, call.y);
  const Descriptor biased = tensor(biased_id, result, true);
  const bool both = call.has_bias && call.rectifies;
  if (call.has_bias) {
    const Descriptor bias = tensor(bias_id, shape_of(call, call.bias_dims()));
    operations.pointwise(CUDNN_POINTWISE_ADD, from, &bias, both ? biased : y);
  }
  if (call.rectifies) operations.pointwise(CUDNN_POINTWISE_RELU_FWD, both ? biased : from, nullptr, y);
}

Plan fused_plan(cudnnHandle_t handle, const ConvolutionCall& call, bool with_rest) {
  const TensorShape result = shape_of(call, call.y);
  const Descriptor y = tensor(y_id, result);
  Operations operations(call);
  const Descriptor x = tensor(x_id, shape_of(call, call.x)), w = tensor(w_id, shape_of(call, call.w));
  if (!with_rest) {
    operations.convolve(x, w, y);
  } else {
    const Descriptor sum = tensor(sum_id, result, true);
    operations.convolve(x, w, sum);
    add_rest(operations, call, sum, y);
  }
  return {handle, operations.list(), precision_of(call)};
}

/// Reads and writes y in place.
Plan rest_plan(cudnnHandle_t handle, const ConvolutionCall& call) {
  const TensorShape result = shape_of(call, call.y);
  Operations operations(call);
  add_rest(operations, call, tensor(sum_id, result), tensor(y_id, result));
  return {handle, operations.list(), {}};
}

}  // namespace

Convolution::Convolution(cudnnHandle_t handle, const ConvolutionCall& call) : has_bias_(call.has_bias) {
  if (call.has_bias || call.rectifies) {
    try {
      first_.emplace(fused_plan(handle, call, true));
      return;
    } catch (const Refusal&) {  // NOLINT(bugprone-empty-catch): the convolution alone, then
    }
    rest_.emplace(rest_plan(handle, call));
  }
  first_.emplace(fused_plan(handle, call, false));
}

size_t Convolution::workspace_bytes() const {
  return static_cast<size_t>(std::max(first_->workspace_bytes(), rest_ ? rest_->workspace_bytes() : 0));
}

void Convolution::run(cudnnHandle_t handle, std::span<void* const> operands, void* y, void* workspace) const {
  std::vector<int64_t> ids{x_id, w_id, y_id};
  std::vector<void*> data{operands[0], operands[1], y};
  if (has_bias_ && !rest_) {
    ids.push_back(bias_id);
    data.push_back(operands[2]);
  }
  first_->run(handle, ids, data, workspace);
  if (!rest_) return;
  ids = {sum_id, y_id};
  data = {y, y};
  if (has_bias_) {
    ids.push_back(bias_id);
    data.push_back(operands[2]);
  }
  rest_->run(handle, ids, data, workspace);
}

}  // namespace sinter::exec::cudnn
