// SPDX-License-Identifier: Apache-2.0
#include <sinter/shared.h>

#include <atomic>
#include <cstdint>

namespace sinter::shared {

struct Owner {
  std::atomic<int64_t> handles = 1;
  void* object;
  void (*destroy)(void*);
};

Owner* own(void* object, void (*destroy)(void*)) {
  try {
    return new Owner{.object = object, .destroy = destroy};
  } catch (...) {
    destroy(object);
    throw;
  }
}

void retain(Owner* owner) noexcept { owner->handles.fetch_add(1, std::memory_order_relaxed); }

void release(Owner* owner) noexcept {
  if (owner->handles.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  owner->destroy(owner->object);
  delete owner;
}

}  // namespace sinter::shared
