// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exec/library/cuda/cudnn/library.h"

namespace sinter::exec::cudnn {

/// cuDNN said no; the message is its own.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Refusal unless the call succeeded.
void check(cudnnStatus_t status, const char* call);

/// A descriptor of the graph API: attributes, then finalize().
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type);
  ~Descriptor();
  Descriptor(Descriptor&& o) noexcept : descriptor_(std::exchange(o.descriptor_, nullptr)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    std::swap(descriptor_, o.descriptor_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  Descriptor& integers(cudnnBackendAttributeName_t name, std::span<const int64_t> values);
  Descriptor& integer(cudnnBackendAttributeName_t name, int64_t value) { return integers(name, {&value, 1}); }
  Descriptor& flag(cudnnBackendAttributeName_t name, bool value);
  Descriptor& real(cudnnBackendAttributeName_t name, float value);
  Descriptor& data_type(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  Descriptor& handle(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  Descriptor& pointers(cudnnBackendAttributeName_t name, std::span<void* const> values);
  Descriptor& descriptor(cudnnBackendAttributeName_t name, const Descriptor& value);
  Descriptor& descriptors(cudnnBackendAttributeName_t name, std::span<const Descriptor> values);
  template <class E>
  Descriptor& enumerator(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, E value) {
    return set(name, type, 1, &value);
  }
  Descriptor& finalize();

  cudnnBackendDescriptor_t get() const { return descriptor_; }

 private:
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                  const void* values);
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

/// A tensor of an operation graph. A virtual one is a value between two operations, in f32.
struct TensorShape {
  cudnnDataType_t type;
  std::vector<int64_t> dims, strides;
  int64_t alignment;
};
Descriptor tensor(int64_t id, const TensorShape& shape, bool is_virtual = false);

}  // namespace sinter::exec::cudnn
