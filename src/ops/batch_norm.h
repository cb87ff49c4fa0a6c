// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/graph/registry.h"

namespace sinter::ops {

/// What a batch_norm call normalises with.
struct BatchNormCall {
  graph::Value mean, var;
  std::optional<graph::Value> weight, bias;
  bool channels_last = false;  ///< a pass: x is [N,...,C]
  graph::Scalar eps;
};

BatchNormCall read_batch_norm(const graph::Node& node);

/// The attributes of a call for x [N,...,C] in place of [N,C,...].
graph::Attributes channels_last_batch_norm(graph::Attributes attributes);

/// weight / sqrt(var + eps), [C] in the compute type `compute`: what each channel is multiplied with.
graph::Value batch_norm_scale(graph::Graph& g, const BatchNormCall& call, DType compute, SourceLine line);

}  // namespace sinter::ops
