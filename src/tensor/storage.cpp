// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend.h"
#include "src/tensor/impl.h"

namespace sinter::tensor {

Storage::~Storage() {
  if (owned)
    device::backend(device).release(data, bytes, stream);
  else if (deleter)
    deleter(data);
}

Tensor empty(const Dims& shape, DType dtype, Device device) {
  auto storage = std::make_shared<Storage>();
  storage->bytes = static_cast<size_t>(shape.product() * dtype.bytes());
  storage->device = device;
  storage->stream = device::current_stream(device);
  storage->data = device::backend(device).allocate(storage->bytes, storage->stream);
  storage->owned = true;
  return make_tensor(std::move(storage), dtype, shape, contiguous_strides(shape));
}

}  // namespace sinter::tensor
