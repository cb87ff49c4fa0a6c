// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace sinter::tensor {

/// Memory shared by tensors: owned (from the device's allocator) or a user's.
struct Storage {
  void* data = nullptr;
  size_t bytes = 0;
  Device device;
  void* stream = nullptr;              ///< native stream the memory was allocated on
  std::function<void(void*)> deleter;  ///< user-owned memory
  bool owned = false;                  ///< release to the device's allocator
  std::mutex copies_mutex;
  struct DeviceCopy {
    int64_t offset;  ///< of the view that was copied
    Dims strides;
    Tensor tensor;
  };
  std::vector<DeviceCopy> device_copies;  ///< of small constants that followed other operands to their devices
  ~Storage();
};

struct TensorImpl;

/// Who will compute a pending tensor. Lives as long as a pending handle points to it.
class PendingOwner {
 public:
  virtual ~PendingOwner() = default;
  virtual DType dtype(const TensorImpl& t) = 0;
  virtual Dims shape(const TensorImpl& t) = 0;
  virtual Device device(const TensorImpl& t) = 0;
  /// Gives the tensor its data because `why` ("item", "data_ptr") needs it at `line`, or throws.
  virtual void compute(TensorImpl& t, const char* why, SourceLine line) = 0;
  /// The last handle to a pending tensor is gone.
  virtual void forget(TensorImpl& t) noexcept = 0;
};

struct TensorImpl {
  std::atomic<uint32_t> references{1};
  DType dtype;
  Device device;
  int32_t slot = -1;  ///< pending: number of the value in its region
  PendingOwner* pending = nullptr;
  std::shared_ptr<Storage> storage;  ///< null while pending
  int64_t offset = 0;                ///< elements
  Dims shape;
  Dims strides;

  void* data() const { return static_cast<char*>(storage->data) + offset * dtype.bytes(); }
};

/// Recycled per thread: a pending handle costs a few nanoseconds.
TensorImpl* new_impl();
Tensor make_pending(PendingOwner* owner, int32_t slot);
Tensor make_tensor(std::shared_ptr<Storage> storage, DType dtype, const Dims& shape, const Dims& strides,
                   int64_t offset = 0);
/// Fresh row-major memory on the device's current stream.
Tensor empty(const Dims& shape, DType dtype, Device device);
/// A pending tensor is computed first.
TensorImpl& computed(const Tensor& t, const char* why, SourceLine line = {});

Dims contiguous_strides(const Dims& shape);
/// Row-major without gaps; strides of single elements do not count. Inline: guards ask for it on every call.
inline bool is_contiguous(const Dims& shape, const Dims& strides) {
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}
std::string describe(const Tensor& t);  ///< "f32 [2,3]"

/// A dense row-major copy on the CPU, in the tensor's dtype; waits for the device.
void read_elements(const TensorImpl& t, void* out);
/// The same for a small CPU tensor that follows other operands: Sinter's own memory is copied once a device and kept, a
/// user's is copied on every call, since it may change.
Tensor follow_to_device(const Tensor& t, Device device);
/// The same data on another device, row-major.
Tensor copy_to_device(const Tensor& t, Device device);

}  // namespace sinter::tensor
