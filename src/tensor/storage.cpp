// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "runtime/device/backend.h"
#include "src/tensor/impl.h"

namespace sinter::tensor {

bool (*is_recording)() = nullptr;
void (*before_memory_goes)(const TensorImpl* t) noexcept = nullptr;
void (*before_exposure)(const Storage&) = nullptr;
void (*before_read)(const TensorImpl&) = nullptr;
constinit thread_local bool writes_are_pending = false;

Storage::~Storage() {
  if (owned)
    device::backend(device).release(data, bytes, stream);
  else if (deleter)
    deleter(data);
}

void Storage::settle_late_readers() {
  if (late_reader_count.load() == 0) return;
  std::vector<LateReader*> readers;
  {
    std::scoped_lock lock(mutex);
    readers = late_readers;
  }
  for (LateReader* r : readers) r->settle();
}

void Storage::expose() {
  exposed.store(true);  // sequentially consistent: a reader that comes now sees it
  settle_late_readers();
  if (before_exposure != nullptr) before_exposure(*this);
}

void Storage::before_write() {
  settle_late_readers();
  std::vector<DeviceCopy> outdated;
  std::scoped_lock lock(mutex);
  outdated.swap(device_copies);
}

void Storage::after_write() { version.fetch_add(1, std::memory_order_release); }

bool Storage::add_late_reader(LateReader* reader) {
  {
    std::scoped_lock lock(mutex);
    late_readers.push_back(reader);
  }
  late_reader_count.fetch_add(1);
  return owned && !exposed.load();
}

void Storage::remove_late_reader(LateReader* reader) {
  std::scoped_lock lock(mutex);
  late_readers.erase(std::ranges::find(late_readers, reader));
  late_reader_count.fetch_sub(1);
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
