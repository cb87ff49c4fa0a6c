// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/error.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

namespace tensor {
struct TensorImpl;
void retain(TensorImpl* impl) noexcept;
void release(TensorImpl* impl) noexcept;
}  // namespace tensor

/// A handle to a strided array on a device; copying shares the data. A default-constructed tensor is undefined.
///
/// Inside a compiled function a tensor may be pending (recorded, not yet computed); shape(), dtype() and device()
/// answer at once, while anything that needs the data (item, to_vector, data_ptr) ends the region and computes it. What
/// else is alive then is computed when something uses it, at the latest at the end of the function, a synchronisation
/// or a change of stream; an index out of range is reported there. A tensor cannot be used as a host bool: `if (x > 0)`
/// does not compile; use item() or where().
class Tensor {
 public:
  Tensor() noexcept = default;
  Tensor(const Tensor& o) noexcept : impl_(o.impl_) {
    if (impl_) tensor::retain(impl_);
  }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& o) noexcept {
    Tensor copy(o);
    std::swap(impl_, copy.impl_);
    return *this;
  }
  Tensor& operator=(Tensor&& o) noexcept {
    std::swap(impl_, o.impl_);
    if (&o != this) o.reset();
    return *this;
  }
  ~Tensor() { reset(); }
  void reset() noexcept {
    if (impl_) tensor::release(std::exchange(impl_, nullptr));
  }

  bool defined() const noexcept { return impl_ != nullptr; }
  DType dtype() const;
  Device device() const;
  /// Extents of this call; plain integers, never breaks a region.
  Dims shape() const;
  int rank() const;
  /// Extent of one dimension; negative dims count from the end. Throws UserError outside [-rank, rank).
  int64_t size(int dim) const;
  int64_t numel() const;
  /// Element strides. Computes a pending tensor.
  Dims strides() const;
  bool is_contiguous() const;
  /// Address of the first element; device memory for CUDA tensors. Computes a pending tensor and, like every result, is
  /// ready in the order of the current stream. Inside a compiled function it ends the region if that reads this memory,
  /// so what was recorded before sees the old contents. Only this thread's: to write while another thread records ops
  /// on the same memory is a race.
  void* data_ptr() const;
  /// `f32 [2,3] cuda:0`; with values for small CPU tensors.
  std::string text() const;

  tensor::TensorImpl* impl() const noexcept { return impl_; }
  /// Takes over one reference.
  static Tensor adopt(tensor::TensorImpl* impl) noexcept {
    Tensor t;
    t.impl_ = impl;
    return t;
  }
  tensor::TensorImpl* detach() noexcept { return std::exchange(impl_, nullptr); }

 private:
  tensor::TensorImpl* impl_ = nullptr;
};

/// Wraps memory that the caller owns: `shape` elements of `dtype` with element `strides` (row-major if empty) on
/// `device`. `deleter` (may be empty) runs when the last handle is gone; without one the caller keeps the memory alive,
/// and a region that reads memory wrapped inside a compiled function ends when the last handle to it is dropped.
/// Ops inside a compiled function read the contents when their region ends, not when they are called; so they do with
/// memory whose address was taken with data_ptr() before. Write to it outside, or after a graph_break() or data_ptr().
/// Throws UserError for a null pointer (unless empty), a misaligned pointer for the dtype, or strides by which elements
/// overlap partially (stride 0 is allowed for reading).
Tensor from_blob(void* data, const Dims& shape, DType dtype, Device device = Device::cpu(), const Dims& strides = {},
                 std::function<void(void*)> deleter = {}, SourceLine line = SourceLine::current());

/// A CPU tensor with a copy of `bytes`; used by from<T>().
Tensor from_bytes(const void* data, size_t bytes, const Dims& shape, DType dtype,
                  SourceLine line = SourceLine::current());

/// A CPU tensor of the given values in row-major order, shape {n} unless given.
template <class T>
Tensor from(std::span<const T> values, const Dims& shape, SourceLine line = SourceLine::current()) {
  return from_bytes(values.data(), values.size_bytes(), shape, dtype_of<T>(), line);
}
template <class T>
Tensor from(std::initializer_list<T> values, const Dims& shape, SourceLine line = SourceLine::current()) {
  return from_bytes(values.begin(), values.size() * sizeof(T), shape, dtype_of<T>(), line);
}
template <class T>
Tensor from(std::initializer_list<T> values, SourceLine line = SourceLine::current()) {
  return from<T>(values, Dims{static_cast<int64_t>(values.size())}, line);
}
template <class T>
Tensor from(const std::vector<T>& values, const Dims& shape, SourceLine line = SourceLine::current()) {
  return from_bytes(values.data(), values.size() * sizeof(T), shape, dtype_of<T>(), line);
}

/// The same data on a device; `x` itself if it is there already.
Tensor to(const Tensor& x, Device device, SourceLine line = SourceLine::current());

/// Reads the only element on the host as a number (ends a region, waits for the device). Floating values become
/// integers as to() converts them to i64: the fraction is dropped, NaN is 0. UserError on many elements.
double item_as_double(const Tensor& t, SourceLine line);
int64_t item_as_int(const Tensor& t, SourceLine line);
template <class T>
T item(const Tensor& t, SourceLine line = SourceLine::current()) {
  if constexpr (std::is_same_v<T, bool>)
    return item_as_double(t, line) != 0;  // 0.5 is true, as to(t, boolean) says
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(item_as_double(t, line));
  else
    return static_cast<T>(item_as_int(t, line));
}

/// Copies all elements to the host in row-major order into `out` (numel * dtype bytes); waits for the device.
void copy_to_host(const Tensor& t, void* out, DType expected, SourceLine line);
/// All elements in row-major order; T must be the tensor's dtype (UserError otherwise).
template <class T>
std::vector<T> to_vector(const Tensor& t, SourceLine line = SourceLine::current()) {
  static_assert(!std::is_same_v<T, bool>, "use to_vector<uint8_t>() on to(t, u8)");
  std::vector<T> out(static_cast<size_t>(t.numel()));
  copy_to_host(t, out.data(), dtype_of<T>(), line);
  return out;
}

}  // namespace sinter
#pragma GCC visibility pop
