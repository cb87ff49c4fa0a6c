// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/image.h>

#include <string_view>

#include "src/graph/registry.h"

namespace sinter::ops {

/// The attributes that all sampling ops share.
struct SamplingAttributes {
  graph::Expr height, width;
  image::Filter filter;
  image::Border border;
  const graph::Scalar* border_value;
};

graph::CallAttributes sampling_attributes(image::Size size, image::Filter filter, image::Border border,
                                          double border_value);
SamplingAttributes read_sampling(graph::AttributeReader attributes);

/// The attributes of this call; fails unless operand 0 is of an image dtype with pixels to read, and the size is not
/// empty.
SamplingAttributes checked_sampling(const graph::InferContext& context);

/// A definition with the shared parameters.
graph::OpDef sampling_op(std::string_view name, std::string_view doc);

}  // namespace sinter::ops
