// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/dtype.h>

#include <optional>
#include <string_view>

#include "runtime/exec/library/call.h"

namespace sinter::exec {

/// conv1d, conv2d or conv3d as libraries see it: with a batch and at least `least_spatial` spatial dims (of extent 1
/// where the call has fewer), dims in the order [N,C,S...] and [M,C/G,K...]. Every tensor is dense, in the memory order
/// of the call's layout.
struct ConvolutionCall {
  DType dtype;
  Dims x, w, y;
  Dims stride, before, after, dilation;
  int64_t groups = 1;
  bool channels_last = false;
  bool has_bias = false;
  bool rectifies = false;
  int alignment = 16;  ///< of all addresses

  /// Of a tensor of these dims.
  Dims strides(const Dims& dims) const;
  Dims bias_dims() const;  ///< [1,M,1...]
  bool has_even_padding() const { return before == after; }
  friend bool operator==(const ConvolutionCall&, const ConvolutionCall&) = default;
};

bool is_convolution(std::string_view op);
ConvolutionCall convolution_call(const CallDescription& call, size_t least_spatial);
/// Are all extents known?
bool is_literal(const ConvolutionCall& call);

}  // namespace sinter::exec
