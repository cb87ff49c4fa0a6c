// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "src/tensor/addresses.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace {

/// Do elements share memory other than whole? Stride 0 repeats whole elements and is allowed for reading.
bool overlaps_partially(const Dims& shape, const Dims& strides) {
  Dims moving_shape, moving_strides;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] == 0) continue;
    moving_shape.push_back(shape[d]);
    moving_strides.push_back(strides[d]);
  }
  return tensor::repeats(moving_shape, moving_strides);
}

/// Extents are not negative and all elements together have a size in bytes that an address space could hold.
void check_extents(const char* op, const Dims& shape, DType dtype, SourceLine line) {
  int64_t bytes = dtype.bytes();
  bool empty = false, too_large = false;
  for (int64_t d : shape) {
    if (d < 0) throw UserError({op, fmt::format("negative extent in {}", shape.text()), line, {}, {}});
    empty = empty || d == 0;
    too_large = __builtin_mul_overflow(bytes, std::max<int64_t>(d, 1), &bytes) || too_large;
  }
  if (too_large && !empty)
    throw UserError({op, fmt::format("{} {} is more than any memory holds", dtype.name(), shape.text()), line, {}, {}});
}

void check_blob(const void* data, const Dims& shape, DType dtype, const Dims& strides, SourceLine line) {
  if (dtype.bytes() < 1) throw UserError({"from_blob", "the dtype has no whole bytes", line, {}, {}});
  check_extents("from_blob", shape, dtype, line);
  if (!strides.empty() && strides.size() != shape.size())
    throw UserError({"from_blob",
                     fmt::format("{} strides for {} dims", strides.size(), shape.size()),
                     line,
                     {},
                     "give one stride (in elements) a dim, or none for row-major"});
  if (shape.product() == 0) return;
  if (data == nullptr)
    throw UserError({"from_blob", fmt::format("null pointer for {} {}", dtype.name(), shape.text()), line, {}, {}});
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(dtype.bytes()) != 0)
    throw UserError({"from_blob",
                     fmt::format("the address is not a multiple of {} bytes", dtype.bytes()),
                     line,
                     {},
                     fmt::format("{} elements must be aligned to their size; copy the data", dtype.name())});
  int64_t reach = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    int64_t span = 0;
    if (__builtin_mul_overflow(strides[d], (shape[d] - 1) * dtype.bytes(), &span) ||
        __builtin_add_overflow(reach, std::abs(std::max(span, -std::numeric_limits<int64_t>::max())), &reach))
      throw UserError(
          {"from_blob", fmt::format("strides {} reach further than any memory", strides.text()), line, {}, {}});
  }
  if (!strides.empty() && overlaps_partially(shape, strides))
    throw UserError({"from_blob",
                     fmt::format("strides {} make elements of {} overlap", strides.text(), shape.text()),
                     line,
                     {},
                     "give strides by which every index has its own address (0 repeats a dim)"});
}

}  // namespace

Tensor from_blob(void* data, const Dims& shape, DType dtype, Device device, const Dims& strides,
                 Callback<void(void*)> deleter, SourceLine line) {
  check_blob(data, shape, dtype, strides, line);
  auto storage = std::make_shared<tensor::Storage>();
  storage->data = data;
  storage->bytes = static_cast<size_t>(shape.product() * dtype.bytes());
  storage->device = device;
  storage->deleter = std::move(deleter);
  // What is wrapped before a compiled function is called outlives the call; what is wrapped inside may not.
  const bool borrowed = !storage->deleter && tensor::is_recording != nullptr && tensor::is_recording();
  Tensor t = tensor::make_tensor(std::move(storage), dtype, shape,
                                 strides.empty() ? tensor::contiguous_strides(shape) : strides);
  t.impl()->borrowed = borrowed;
  return t;
}

Tensor from_bytes(const void* data, size_t bytes, const Dims& shape, DType dtype, SourceLine line) {
  check_extents("from", shape, dtype, line);
  const auto wanted = static_cast<size_t>(shape.product() * dtype.bytes());
  if (bytes != wanted)
    throw UserError({"from",
                     fmt::format("{} values for shape {}", bytes / static_cast<size_t>(dtype.bytes()), shape.text()),
                     line,
                     {},
                     "give as many values as the shape has elements"});
  Tensor t = tensor::empty(shape, dtype, Device::cpu());
  if (bytes > 0) std::memcpy(t.impl()->data(), data, bytes);
  return t;
}

}  // namespace sinter
