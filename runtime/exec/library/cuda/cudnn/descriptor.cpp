// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn/descriptor.h"

#include <fmt/format.h>

#include <array>

namespace sinter::exec::cudnn {

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> message{};
  library().GetLastErrorString(message.data(), message.size());
  std::string text(message.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  throw Refusal(fmt::format("{}: {}{}{}", call, library().GetErrorString(status), text.empty() ? "" : ": ", text));
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  check(library().BackendCreateDescriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
}

Descriptor::~Descriptor() {
  if (descriptor_ != nullptr) library().BackendDestroyDescriptor(descriptor_);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                            const void* values) {
  check(library().BackendSetAttribute(descriptor_, name, type, count, values), "cudnnBackendSetAttribute");
  return *this;
}

Descriptor& Descriptor::integers(cudnnBackendAttributeName_t name, std::span<const int64_t> values) {
  return set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}
Descriptor& Descriptor::flag(cudnnBackendAttributeName_t name, bool value) {
  return set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}
Descriptor& Descriptor::real(cudnnBackendAttributeName_t name, float value) {
  return set(name, CUDNN_TYPE_FLOAT, 1, &value);
}
Descriptor& Descriptor::data_type(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  return set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}
Descriptor& Descriptor::handle(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  return set(name, CUDNN_TYPE_HANDLE, 1, static_cast<const void*>(&value));
}
Descriptor& Descriptor::pointers(cudnnBackendAttributeName_t name, std::span<void* const> values) {
  return set(name, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(values.size()), static_cast<const void*>(values.data()));
}
Descriptor& Descriptor::descriptor(cudnnBackendAttributeName_t name, const Descriptor& value) {
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, static_cast<const void*>(&value.descriptor_));
}
Descriptor& Descriptor::descriptors(cudnnBackendAttributeName_t name, std::span<const Descriptor> values) {
  std::vector<cudnnBackendDescriptor_t> list;
  for (const Descriptor& d : values) list.push_back(d.descriptor_);
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(list.size()),
             static_cast<const void*>(list.data()));
}

Descriptor& Descriptor::finalize() {
  check(library().BackendFinalize(descriptor_), "cudnnBackendFinalize");
  return *this;
}

Descriptor tensor(int64_t id, const TensorShape& shape, bool is_virtual) {
  Descriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.integer(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .data_type(CUDNN_ATTR_TENSOR_DATA_TYPE, is_virtual ? CUDNN_DATA_FLOAT : shape.type)
      .integer(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, shape.alignment)
      .integers(CUDNN_ATTR_TENSOR_DIMENSIONS, shape.dims)
      .integers(CUDNN_ATTR_TENSOR_STRIDES, shape.strides)
      .flag(CUDNN_ATTR_TENSOR_IS_VIRTUAL, is_virtual)
      .finalize();
  return d;
}

}  // namespace sinter::exec::cudnn
