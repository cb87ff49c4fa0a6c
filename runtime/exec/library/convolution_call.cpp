// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/convolution_call.h"

#include <algorithm>

namespace sinter::exec {
namespace {

/// Reads the words of a convolution's attributes (src/ops/convolution.h) in order.
class Words {
 public:
  explicit Words(const std::vector<int64_t>& words) : words_(words) {}
  int64_t next() { return words_.at(at_++); }
  Dims list() {
    Dims d;
    for (int64_t left = next(); left > 0; --left) d.push_back(next());
    return d;
  }

 private:
  const std::vector<int64_t>& words_;
  size_t at_ = 0;
};

Dims with_leading(const Dims& list, size_t size, int64_t value) {
  Dims d = Dims::filled(size - list.size(), value);
  for (int64_t v : list) d.push_back(v);
  return d;
}

/// [first, channel, spatial...] of a shape in the call's layout; `first` is 1 where the shape has no batch.
Dims channels_first(const Dims& shape, bool channels_last, size_t spatial, size_t least_spatial) {
  Dims d;
  const bool batched = shape.size() == spatial + 2;
  d.push_back(batched ? shape[0] : 1);
  d.push_back(channels_last ? shape.back() : shape[batched ? 1 : 0]);
  for (size_t i = spatial; i < least_spatial; ++i) d.push_back(1);
  const size_t first = shape.size() - spatial - (channels_last ? 1 : 0);
  for (size_t i = 0; i < spatial; ++i) d.push_back(shape[first + i]);
  return d;
}

}  // namespace

bool is_convolution(std::string_view op) { return op == "conv1d" || op == "conv2d" || op == "conv3d"; }

ConvolutionCall convolution_call(const CallDescription& call, size_t least_spatial) {
  ConvolutionCall c;
  c.dtype = call.operands[0].dtype;
  Words words(call.words);
  const Dims stride = words.list(), before = words.list(), after = words.list(), dilation = words.list();
  const size_t spatial = stride.size(), all = std::max(spatial, least_spatial);
  c.stride = with_leading(stride, all, 1);
  c.before = with_leading(before, all, 0);
  c.after = with_leading(after, all, 0);
  c.dilation = with_leading(dilation, all, 1);
  c.groups = words.next();
  c.channels_last = words.next() == 1;
  c.rectifies = words.next() == 1;
  c.has_bias = call.operands.size() > 2;
  c.x = channels_first(call.operands[0].shape, c.channels_last, spatial, all);
  c.w = channels_first(call.operands[1].shape, c.channels_last, spatial, all);
  c.y = channels_first(call.results[0].shape, c.channels_last, spatial, all);
  for (const CallTensor& t : call.operands) c.alignment = std::min(c.alignment, std::max(t.alignment, 1));
  c.alignment = std::min(c.alignment, std::max(call.results[0].alignment, 1));
  return c;
}

Dims ConvolutionCall::strides(const Dims& dims) const {
  Dims s = Dims::filled(dims.size(), 1);
  int64_t next = channels_last ? dims[1] : 1;
  for (size_t d = dims.size(); d-- > 2;) {
    s[d] = next;
    next *= dims[d];
  }
  if (!channels_last) {
    s[1] = next;
    next *= dims[1];
  }
  s[0] = next;
  return s;
}

Dims ConvolutionCall::bias_dims() const {
  Dims d = Dims::filled(y.size(), 1);
  d[1] = y[1];
  return d;
}

bool is_literal(const ConvolutionCall& c) {
  const auto known = [](const Dims& d) { return std::ranges::find(d, unknown_extent) == d.end(); };
  return known(c.x) && known(c.w) && known(c.y);
}

}  // namespace sinter::exec
