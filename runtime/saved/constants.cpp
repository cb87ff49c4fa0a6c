// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/constants.h"

#include <cstring>
#include <string>
#include <utility>

#include "runtime/device/backend.h"
#include "src/tensor/addresses.h"

namespace sinter::saved {

Constant read_constant(const Tensor& source) {
  const tensor::TensorImpl& t = tensor::readable(source, "save");
  const auto [low, high] = tensor::reach(t.shape, t.strides);
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
