// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/constants.h"

#include <cstring>
#include <string>
#include <utility>

#include "runtime/device/backend.h"

namespace sinter::saved {
namespace {

/// Elements before and after the first one that the strides reach; nothing of an empty tensor.
std::pair<int64_t, int64_t> reach(const Dims& shape, const Dims& strides) {
  if (shape.product() == 0) return {0, -1};
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t step = (shape[d] - 1) * strides[d];
    (step < 0 ? low : high) += step;
  }
  return {low, high};
}

}  // namespace

Constant read_constant(const Tensor& source) {
  const tensor::TensorImpl& t = tensor::readable(source, "save");
  const auto [low, high] = reach(t.shape, t.strides);
  Constant c;
  c.dtype = t.dtype;
  c.shape.assign(t.shape.begin(), t.shape.end());
  c.strides.assign(t.strides.begin(), t.strides.end());
  c.offset = -low;
  c.bytes.resize(static_cast<size_t>((high - low + 1) * t.dtype.bytes()));
  if (c.bytes.empty()) return c;
  device::Backend& backend = device::backend(t.device);
  const device::StreamHandle stream = device::current_stream(t.device);
  backend.copy_to_host(c.bytes.data(), static_cast<const char*>(t.data()) + low * t.dtype.bytes(), c.bytes.size(),
                       stream);
  backend.synchronize(stream);
  return c;
}

Tensor make_constant(const Constant& c, Device device) {
  const auto elements = static_cast<int64_t>(c.bytes.size()) / c.dtype.bytes();
  const Tensor memory = tensor::empty({elements}, c.dtype, device);
  if (!c.bytes.empty())
    device::backend(device).copy_from_host(memory.impl()->data(), c.bytes.data(), c.bytes.size(),
                                           device::current_stream(device));
  return tensor::make_tensor(memory.impl()->storage, c.dtype, Dims(std::span<const int64_t>(c.shape)),
                             Dims(std::span<const int64_t>(c.strides)), c.offset);
}

Tensor copy_reach(const Tensor& source, Device device) { return make_constant(read_constant(source), device); }

}  // namespace sinter::saved
