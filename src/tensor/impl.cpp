// SPDX-License-Identifier: Apache-2.0
#include "src/tensor/impl.h"

#include <fmt/format.h>

#include <vector>

namespace sinter::tensor {
namespace {

/// Freed handles of this thread; a handle may be freed on another thread than it was made on.
struct FreeList {
  std::vector<TensorImpl*> items;
  ~FreeList() {
    for (TensorImpl* t : items) delete t;
    alive = false;
  }
  static thread_local bool alive;
};
thread_local bool FreeList::alive = true;

FreeList& free_list() {
  thread_local FreeList list;
  return list;
}

constexpr size_t max_free_handles = 4096;

}  // namespace

TensorImpl* new_impl() {
  if (FreeList::alive) {
    auto& items = free_list().items;
    if (!items.empty()) {
      TensorImpl* t = items.back();
      items.pop_back();
      t->references.store(1, std::memory_order_relaxed);
      return t;
    }
  }
  return new TensorImpl;
}

void retain(TensorImpl* t) noexcept { t->references.fetch_add(1, std::memory_order_relaxed); }

void release(TensorImpl* t) noexcept {
  // The only handle needs no atomic subtraction: nobody else is there to copy or drop it.
  if (t->references.load(std::memory_order_acquire) != 1 && t->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (t->pending != nullptr) t->pending->forget(*t);
  t->pending = nullptr;
  t->storage.reset();
  t->offset = 0;
  t->slot = -1;
  if (FreeList::alive && free_list().items.size() < max_free_handles)
    free_list().items.push_back(t);
  else
    delete t;
}

Tensor make_pending(PendingOwner* owner, int32_t slot) {
  TensorImpl* t = new_impl();
  t->pending = owner;
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
  if (t.pending != nullptr) t.pending->compute(t, why, line);
  if (t.storage == nullptr)
    throw UserError({why, "the tensor has no data: the region that should have computed it failed", line, {}, {}});
  return t;
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides = Dims::filled(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

std::string describe(const Tensor& t) { return fmt::format("{} {}", t.dtype().name(), t.shape().text()); }

}  // namespace sinter::tensor
