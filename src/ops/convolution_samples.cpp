// SPDX-License-Identifier: Apache-2.0
#include "src/ops/convolution.h"
#include "src/ops/samples.h"

namespace sinter::ops {

/// Dims are written for three spatial dims; fewer take the last ones.
std::vector<graph::SampleCall> sample_convolution(size_t spatial) {
  std::vector<graph::SampleCall> list;
  const auto last = [&](const Dims& three) { return Dims(three.span().subspan(3 - spatial)); };
  struct Case {
    DType dtype = f32;
    int64_t batch = 2, channels = 3, outputs = 4;  ///< batch -1: none
    Dims extents = {3, 4, 7}, kernel = {2, 1, 3}, stride = {1, 1, 1}, dilation = {1, 1, 1};
    Dims padding = {0, 0, 0, 0, 0, 0};
    int64_t groups = 1;
    bool bias = true;
    ConvLayout layout = ConvLayout::channels_first;
    ConvActivation activation = ConvActivation::none;
  };
  const auto shape = [&](const Case& c, int64_t first, int64_t channels, const Dims& extents) {
    Dims dims;
    if (first >= 0) dims.push_back(first);
    if (c.layout == ConvLayout::channels_first) dims.push_back(channels);
    for (int64_t d : last(extents)) dims.push_back(d);
    if (c.layout == ConvLayout::channels_last) dims.push_back(channels);
    return sample_type(c.dtype, dims);
  };
  const auto add = [&](const Case& c) {
    std::vector<graph::ValueType> operands{shape(c, c.batch, c.channels, c.extents),
                                           shape(c, c.outputs, c.channels / c.groups, c.kernel)};
    if (c.bias) operands.push_back(sample_type(c.dtype, {c.outputs}));
    ConvWindow window = convolution_window({.stride = last(c.stride),
                                            .padding = Dims(c.padding.span().subspan(6 - 2 * spatial)),
                                            .dilation = last(c.dilation),
                                            .groups = c.groups},
                                           spatial);
    window.layout = c.layout;
    window.activation = c.activation;
    // No NaN among the values: in the padding a generated kernel multiplies with zeros what a library leaves out.
    graph::SampleCall call = sample_call(std::move(operands), {}, 0, 6);
    call.integral = true;
    call.attributes = window.attributes();
    list.push_back(std::move(call));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add({.dtype = t, .padding = {1, 0, 0, 1, 1, 1}});
  add({.batch = -1, .stride = {1, 2, 3}, .bias = false});
  add({.channels = 4, .outputs = 6, .dilation = {1, 2, 2}, .padding = {0, 1, 2, 0, 2, 1}, .groups = 2});
  add({.channels = 3, .outputs = 6, .stride = {2, 1, 2}, .padding = {1, 1, 0, 0, 0, 2}, .groups = 3});
  add({.dtype = f16, .batch = 1, .channels = 5, .outputs = 1, .kernel = {1, 1, 1}, .bias = false});
  add({.batch = 0});
  add({.batch = -1, .padding = {0, 1, 0, 0, 1, 1}, .layout = ConvLayout::channels_last});
  add({.channels = 4,
       .padding = {0, 0, 1, 1, 1, 1},
       .groups = 2,
       .layout = ConvLayout::channels_last,
       .activation = ConvActivation::relu});
  add({.dtype = i16, .activation = ConvActivation::relu});
  if (spatial == 2) add({.channels = 33, .extents = {1, 5, 9}, .kernel = {1, 3, 3}, .padding = {0, 0, 1, 1, 1, 1}});
  return list;
}

}  // namespace sinter::ops
