// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/cuda/emit.h"
#include "codegen/tile/ir.h"
#include "runtime/device/backend.h"
#include "tests/cuda_text/samples.h"

namespace sinter::cuda::testing {

/// Device::cuda(0): the emulator, or a GPU if SINTER_TEST_GPU is set.
device::Backend& gpu();

/// An array on the device, of exactly its size.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    data_ = static_cast<T*>(gpu().allocate(bytes(), nullptr));
    gpu().copy_from_host(data_, values.data(), bytes(), nullptr);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { gpu().release(data_, bytes(), nullptr); }
  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> v(size_);
    gpu().copy_to_host(v.data(), data_, bytes(), nullptr);
    return v;
  }

 private:
  size_t bytes() const { return size_ * sizeof(T); }
  size_t size_;
  T* data_;
};

inline uint64_t slot(float v) { return __builtin_bit_cast(uint32_t, v); }
inline uint64_t slot(double v) { return __builtin_bit_cast(uint64_t, v); }
template <class T>
  requires std::is_integral_v<T>
uint64_t slot(T v) {
  return static_cast<uint64_t>(v);
}
template <class T>
uint64_t slot(T* p) {
  return reinterpret_cast<uint64_t>(p);
}
template <class T>
uint64_t slot(const DeviceArray<T>& a) {
  return reinterpret_cast<uint64_t>(a.data());
}

/// CUDA text, loaded.
class DeviceKernel {
 public:
  explicit DeviceKernel(const CudaText& text);
  explicit DeviceKernel(const tile_ir::Kernel& kernel);
  const CudaText& text() const { return text_; }
  device::Function& function() const { return *function_; }

  /// Launches with pointers and numbers in the order of the parameters. DeviceError if the kernel does wrong.
  template <class... A>
  void operator()(int64_t grid, const A&... arguments) const {
    launch(grid, {slot(arguments)...});
  }
  void launch(int64_t grid, const std::vector<uint64_t>& slots) const;

 private:
  CudaText text_;
  std::shared_ptr<device::Module> module_;
  device::Function* function_;
};

/// Contents of the array arguments after a run.
std::vector<std::vector<unsigned char>> run(const DeviceKernel& kernel, int64_t grid,
                                            const std::vector<Argument>& arguments);

}  // namespace sinter::cuda::testing
