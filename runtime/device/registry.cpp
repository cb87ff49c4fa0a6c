// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/device/backend.h"
#include "runtime/device/builtin.h"
#include "runtime/device/hooks.h"

namespace sinter::device {
namespace {

constexpr size_t max_devices = 64;

/// Back ends live to the end of the process: tensors in static storage may outlive everything else.
struct Table {
  std::mutex mutex;
  std::array<BackendFactory, 2> factories{make_cpu_backend, make_cuda_backend};
  std::array<std::array<std::atomic<Backend*>, max_devices>, 2> made{};
};

Table& table() {
  static auto* t = new Table;
  return *t;
}

thread_local std::array<std::array<StreamHandle, max_devices>, 2> current_streams{};

size_t index_of(Device device) {
  if (device.index < 0 || static_cast<size_t>(device.index) >= max_devices)
    throw DeviceError(device.text() + ": no such device");
  return static_cast<size_t>(device.index);
}

}  // namespace

void Backend::perform(StreamHandle, std::function<void()>&&) {
  throw DeviceError(properties().name + ": the host cannot compute on this device");
}

Backend& backend(Device device, SourceLine line) {
  Table& t = table();
  const auto kind = static_cast<size_t>(device.kind);
  std::atomic<Backend*>& slot = t.made[kind][index_of(device)];
  if (Backend* b = slot.load(std::memory_order_acquire)) return *b;
  const std::scoped_lock lock(t.mutex);
  if (Backend* b = slot.load(std::memory_order_acquire)) return *b;
  try {
    Backend* made = t.factories[kind](device.index).release();
    slot.store(made, std::memory_order_release);
    return *made;
  } catch (const DeviceError& error) {
    ErrorParts parts = error.parts();
    if (parts.line.file == nullptr) parts.line = line;
    throw DeviceError(std::move(parts));
  }
}

bool available(Device device) noexcept {
  try {
    backend(device);
    return true;
  } catch (...) {
    return false;
  }
}

void register_backend(DeviceKind kind, BackendFactory factory) {
  Table& t = table();
  const std::scoped_lock lock(t.mutex);
  for (const std::atomic<Backend*>& slot : t.made[static_cast<size_t>(kind)])
    if (slot.load(std::memory_order_relaxed) != nullptr)
      throw CompileError("internal: a back end is registered after the first use of its kind");
  t.factories[static_cast<size_t>(kind)] = std::move(factory);
}

Hooks& hooks() {
  static Hooks value;
  return value;
}

StreamHandle current_stream(Device device) {
  return current_streams[static_cast<size_t>(device.kind)][index_of(device)];
}

StreamHandle exchange_current_stream(Device device, StreamHandle stream) {
  return std::exchange(current_streams[static_cast<size_t>(device.kind)][index_of(device)], stream);
}

}  // namespace sinter::device

namespace sinter {

Device Device::best() { return device::available(cuda(0)) ? cuda(0) : cpu(); }

}  // namespace sinter
