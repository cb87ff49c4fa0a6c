// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/convolution.h>

#include <span>
#include <vector>

#include "src/graph/registry.h"
#include "src/reference/array.h"

// The parts of conv1d, conv2d and conv3d: one definition for any number of spatial dims.

namespace sinter::ops {

/// The order of the dims of a convolution's operands and result. Users' calls are channels_first; a pass turns calls on
/// channels-last memory into calls of the other order (src/passes/channels_last.h).
enum class ConvLayout : uint8_t {
  channels_first,  ///< x [N,C,S...], w [M,C,K...]
  channels_last,   ///< x [N,S...,C], w [M,K...,C]
};

/// What a pass lets a convolution do to its result before it is rounded.
enum class ConvActivation : uint8_t { none, relu };

/// The attributes of a call; lists have an entry a spatial dim.
struct ConvWindow {
  Dims stride, before, after, dilation;
  int64_t groups = 1;
  ConvLayout layout = ConvLayout::channels_first;
  ConvActivation activation = ConvActivation::none;

  /// Where channels and spatial dims stand in a shape of x or of the result of this rank, or of w.
  size_t channel_dim(size_t rank) const {
    return layout == ConvLayout::channels_last ? rank - 1 : rank - 1 - stride.size();
  }
  size_t spatial_dim(size_t rank, size_t d) const {
    return rank - stride.size() + d - (layout == ConvLayout::channels_last ? 1 : 0);
  }
  /// Words as the op's attributes have them.
  graph::Attributes attributes() const;
};

std::vector<graph::Param> convolution_params();
/// With lists spelled out for `spatial` dims; lists of another length stay, for the type rule to refuse.
ConvWindow convolution_window(const ConvOptions& options, size_t spatial);
ConvWindow read_window(const graph::Attributes& attributes);

/// conv1d, conv2d or conv3d: how many spatial dims; 0 for any other op.
size_t spatial_dims(const graph::OpDef& op);

std::vector<graph::ValueType> infer_convolution(graph::InferContext& context);
/// Takes windows of the padded input as views, multiplies, and folds with `sum`: ops of which a generated kernel is
/// made. Padding that differs before and after, and an activation, are taken off first, which leaves a convolution that
/// more libraries compute.
std::vector<graph::Value> decompose_convolution(graph::Graph& g, const graph::Node& node);
std::vector<reference::Array> reference_convolution(const graph::Node& node,
                                                    std::span<const reference::Array> operands);
std::vector<graph::SampleCall> sample_convolution(size_t spatial);

}  // namespace sinter::ops
