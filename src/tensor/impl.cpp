// SPDX-License-Identifier: Apache-2.0
#include "src/tensor/impl.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/tensor/addresses.h"

namespace sinter::tensor {
namespace {

/// Freed handles of this thread; a handle may be freed on another thread than it was made on.
struct FreeHandles {
  TensorImpl* first = nullptr;
  int32_t room = 0;  ///< that is left; none before the thread's first free and after its end
  bool ended = false;
};
constinit thread_local FreeHandles free_handles;

constexpr int32_t max_free_handles = 4096;

/// Frees what the thread kept when it ends.
struct Cleaner {
  ~Cleaner() {
    free_handles.room = 0;
    free_handles.ended = true;
    while (TensorImpl* t = free_handles.first) {
      free_handles.first = t->next_free;
      delete t;
    }
  }
};

[[gnu::noinline]] void recycle_first_or_last(TensorImpl* t) noexcept {
  if (free_handles.first != nullptr || free_handles.ended) {
    delete t;
    return;
  }
  thread_local Cleaner cleaner;
  (void)cleaner;
  t->next_free = nullptr;
  free_handles.first = t;
  free_handles.room = max_free_handles - 1;
}

}  // namespace

TensorImpl* new_impl() {
  FreeHandles& handles = free_handles;
  TensorImpl* t = handles.first;
  if (t == nullptr) return new TensorImpl;
  handles.first = t->next_free;
  ++handles.room;
  t->references.store(1, std::memory_order_relaxed);
  return t;
}

void retain(TensorImpl* t) noexcept { t->references.fetch_add(1, std::memory_order_relaxed); }

void recycle(TensorImpl* t) noexcept {
  t->pending.store(nullptr, std::memory_order_relaxed);
  t->storage.reset();
  t->offset = 0;
  t->frozen = false;
  t->slot = -1;
  t->borrowed = false;
  FreeHandles& handles = free_handles;
  if (handles.room == 0) return recycle_first_or_last(t);
  --handles.room;
  t->next_free = handles.first;
  handles.first = t;
}

void release(TensorImpl* t) noexcept {
  // The only handle needs no atomic subtraction: nobody else is there to copy or drop it.
  if (t->references.load(std::memory_order_acquire) != 1) {
    const bool borrowed = t->borrowed;
    const uint32_t before = t->references.fetch_sub(1, std::memory_order_acq_rel);
    if (before == 2 && borrowed) before_memory_goes(t);
    if (before != 1) return;
  }
  PendingOwner* owner = t->pending.load(std::memory_order_acquire);
  if (owner == nullptr || owner->forget(*t)) recycle(t);
}

PendingOwner* abandoned() {
  alignas(PendingOwner) static char mark;  // an address that nothing else has; never called
  return reinterpret_cast<PendingOwner*>(&mark);
}

Tensor make_pending(PendingOwner* owner, int32_t slot) {
  TensorImpl* t = new_impl();
  t->pending.store(owner, std::memory_order_relaxed);
  t->slot = slot;
  return Tensor::adopt(t);
}

Tensor make_tensor(std::shared_ptr<Storage> storage, DType dtype, const Dims& shape, const Dims& strides,
                   int64_t offset) {
  TensorImpl* t = new_impl();
  t->device = storage->device;
  t->storage = std::move(storage);
  t->dtype = dtype;
  t->shape = shape;
  t->strides = strides;
  t->offset = offset;
  return Tensor::adopt(t);
}

TensorImpl& computed(const Tensor& tensor, const char* why, SourceLine line) {
  if (!tensor.defined()) throw UserError({why, "the tensor is undefined", line, {}, {}});
  TensorImpl& t = *tensor.impl();
  if (PendingOwner* owner = t.pending.load(std::memory_order_acquire)) owner->compute(t, why, line);
  if (t.storage == nullptr)
    throw UserError({why, "the tensor has no data: the region that should have computed it failed", line, {}, {}});
  return t;
}

TensorImpl& readable(const Tensor& tensor, const char* why, SourceLine line) {
  TensorImpl& t = computed(tensor, why, line);
  if (writes_are_pending) before_read(t);
  return t;
}

std::pair<uintptr_t, uintptr_t> byte_range(const TensorImpl& t) {
  const auto [low, last] = reach(t.shape, t.strides);
  if (last < low) return {0, 0};
  const auto at = [&](int64_t element) {
    return reinterpret_cast<uintptr_t>(static_cast<char*>(t.data()) + element * t.dtype.bytes());
  };
  return {at(low), at(last + 1)};
}

int64_t offset_as(const TensorImpl& t, DType dtype) {
  if (dtype == t.dtype) return t.offset;
  const int64_t bytes = t.offset * t.dtype.bytes(), size = dtype.bytes();
  if (bytes % size != 0 || reinterpret_cast<uintptr_t>(t.storage->data) % static_cast<uintptr_t>(size) != 0)
    throw UserError({"view",
                     fmt::format("the first element of {} is not at a multiple of {} bytes, as {} must be",
                                 t.dtype.name(), size, dtype.name()),
                     {},
                     {},
                     "clone() it first"});
  return bytes / size;
}

bool overlap(const TensorImpl& a, const TensorImpl& b) {
  if (a.device != b.device) return false;
  const auto [a_begin, a_end] = byte_range(a);
  const auto [b_begin, b_end] = byte_range(b);
  return a_begin < b_end && b_begin < a_end;
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides = Dims::filled(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

std::string describe(const Tensor& t) { return fmt::format("{} {}", t.dtype().name(), t.shape().text()); }

}  // namespace sinter::tensor
