// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/memory.h"

#include <fmt/format.h>

#include <memory>

namespace sinter::device::cuda {

namespace {

CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (CUevent event : unused_events_) driver_.EventDestroy(event);
}

void* DeviceMemory::take(size_t bytes) {
  const Context::Guard current(context_);
  const OutsideCapture relaxed(driver_);
  CUdeviceptr block = 0;
  const CUresult result = driver_.MemAlloc(&block, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  context_.check(result, "cuMemAlloc");
  return reinterpret_cast<void*>(block);  // NOLINT(performance-no-int-to-ptr): that is how the driver names memory
}

/// cuMemFree waits for the work that uses the block.
void DeviceMemory::give_back(void* block, size_t) noexcept {
  try {
    const Context::Guard current(context_);
    const OutsideCapture relaxed(driver_);
    driver_.MemFree(address(block));  // fails on a faulted device or at the end of the process: nobody to give it to
  } catch (const DeviceError&) {      // NOLINT(bugprone-empty-catch): the same
  }
}

std::string DeviceMemory::remaining() const {
  size_t free = 0, total = 0;
  const Context::Guard current(context_);
  if (driver_.MemGetInfo(&free, &total) != CUDA_SUCCESS) return "the driver does not say what is left";
  constexpr double gib = 1 << 30;
  return fmt::format("{:.2f} of {:.2f} GiB are free on the device", static_cast<double>(free) / gib,
                     static_cast<double>(total) / gib);
}

std::optional<EventHandle> DeviceMemory::mark(StreamHandle stream) {
  if (capture(stream) != 0) return std::nullopt;
  const Context::Guard current(context_);
  CUevent event = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!unused_events_.empty()) {
      event = unused_events_.back();
      unused_events_.pop_back();
    }
  }
  if (event == nullptr) context_.check(driver_.EventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  if (driver_.EventRecord(event, static_cast<CUstream>(stream)) == CUDA_SUCCESS) return event;
  drop(event);
  return std::nullopt;
}

bool DeviceMemory::passed(EventHandle mark) {
  const Context::Guard current(context_);
  const OutsideCapture relaxed(driver_);
  const CUresult result = driver_.EventQuery(static_cast<CUevent>(mark));
  if (result == CUDA_ERROR_NOT_READY) return false;
  context_.check(result, "cuEventQuery");
  return true;
}

void DeviceMemory::drop(EventHandle mark) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    unused_events_.push_back(static_cast<CUevent>(mark));
  } catch (const std::bad_alloc&) {
    driver_.EventDestroy(static_cast<CUevent>(mark));
  }
}

void DeviceMemory::wait_for_all() {
  const Context::Guard current(context_);
  const OutsideCapture relaxed(driver_);
  context_.check(driver_.CtxSynchronize(), "cuCtxSynchronize");
}

uint64_t DeviceMemory::capture(StreamHandle stream) {
  if (stream == nullptr) return 0;  // the legacy default stream cannot be captured
  const Context::Guard current(context_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  const CUresult result =
      driver_.StreamGetCaptureInfo(static_cast<CUstream>(stream), &status, &id, nullptr, nullptr, nullptr);
  return result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? id : 0;
}

void DeviceMemory::when_graph_is_gone(StreamHandle stream, const std::function<void()>& gone) {
  const Context::Guard current(context_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  context_.check(
      driver_.StreamGetCaptureInfo(static_cast<CUstream>(stream), &status, nullptr, &graph, nullptr, nullptr),
      "cuStreamGetCaptureInfo");
  auto callback = std::make_unique<std::function<void()>>(gone);
  CUuserObject object = nullptr;
  context_.check(driver_.UserObjectCreate(
                     &object, callback.get(),
                     [](void* data) {
                       const std::unique_ptr<std::function<void()>> call(static_cast<std::function<void()>*>(data));
                       (*call)();
                     },
                     1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                 "cuUserObjectCreate");
  [[maybe_unused]] auto* theirs = callback.release();  // destroyed by the object
  context_.check(driver_.GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE), "cuGraphRetainUserObject");
}

}  // namespace sinter::device::cuda
