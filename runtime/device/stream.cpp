// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>
#include <sinter/stream.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/device/hooks.h"
#include "runtime/device/log.h"

namespace sinter {

namespace {

/// Handles that name the same queue on every thread, and on each another one (CU_STREAM_LEGACY, CU_STREAM_PER_THREAD).
constexpr uintptr_t legacy_stream = 1, per_thread_stream = 2;

/// Runs `wait` between the hooks that see a synchronisation of one stream, or of all.
template <class F>
void synchronized(Device device, std::optional<void*> stream, F wait) {
  const device::Hooks& hooks = device::hooks();
  if (hooks.before_synchronize) hooks.before_synchronize(device);
  wait(device::backend(device));
  if (hooks.after_synchronize) hooks.after_synchronize(device, stream);
}

void set_current(Device device, void* native) {
  if (device::current_stream(device) == native) return;
  if (auto* hook = device::hooks().before_stream_change) hook(device);
  device::exchange_current_stream(device, native);
}

/// A stream or an event that Sinter made.
struct OwnStream {
  explicit OwnStream(device::Backend& b) : backend(b), native(b.create_stream()) {}
  ~OwnStream() { backend.destroy_stream(native); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  device::Backend& backend;
  void* const native;
};
struct OwnEvent {
  explicit OwnEvent(device::Backend& b) : backend(b), native(b.create_event()) {}
  ~OwnEvent() { backend.destroy_event(native); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  device::Backend& backend;
  void* const native;
};

}  // namespace

Stream::Stream(Device device) : device_(device) {}
Stream::Stream(Device device, void* native, Shared<void> owner)
    : device_(device), native_(native), owner_(std::move(owner)) {}

Stream Stream::create(Device device) {
  device::Backend& backend = device::backend(device);
  const Shared<OwnStream> own(new OwnStream(backend));
  return {device, own->native, own};
}

Stream Stream::from_native(void* native, Device device, SourceLine line) {
  const auto handle = reinterpret_cast<uintptr_t>(native);
  if (device.is_cuda() && handle == per_thread_stream)
    throw UserError({.op = "from_native",
                     .what =
                         "CU_STREAM_PER_THREAD is another stream on each thread, so nothing that outlives a call can "
                         "be ordered by it",
                     .line = line,
                     .context = {},
                     .fix = "give a stream of your own (cuStreamCreate), one for each thread if you like"});
  return {device, device.is_cuda() && handle == legacy_stream ? nullptr : native, nullptr};
}

void Stream::synchronize() const {
  synchronized(device_, native_, [&](device::Backend& backend) { backend.synchronize(native_); });
}

void Stream::wait(const Event& event) const {
  if (event.device().kind == device_.kind)
    device::backend(device_).wait(native_, event.native());
  else
    event.synchronize();  // a CPU stream cannot wait by itself, and what the CPU records is already done
}

Event::Event(Device device) : device_(device) {
  device::Backend& backend = device::backend(device);
  const Shared<OwnEvent> own(new OwnEvent(backend));
  native_ = own->native;
  owner_ = own;
}

void Event::record(const Stream& stream) {
  if (stream.device() != device_)
    throw UserError({.op = "record",
                     .what = "the event belongs to " + device_.text() + ", the stream to " + stream.device().text(),
                     .line = {},
                     .context = {},
                     .fix = "make the event with Event(stream.device())"});
  if (auto* hook = device::hooks().before_synchronize) hook(device_);  // what was called before is in the stream
  device::backend(device_).record(native(), stream.native());
}

void Event::synchronize() const { device::backend(device_).synchronize_event(native()); }

double Event::elapsed_ms(const Event& later) const {
  return device::backend(device_).elapsed_ms(native(), later.native());
}

Stream current_stream(Device device) { return Stream::from_native(device::current_stream(device), device, {}); }

StreamGuard::StreamGuard(const Stream& stream) : stream_(stream), previous_(device::current_stream(stream.device())) {
  set_current(stream_.device(), stream_.native());
}

StreamGuard::~StreamGuard() {
  try {
    set_current(stream_.device(), previous_);
  } catch (const std::exception& error) {  // the recorded work failed; who touches its results hears of it again
    device::exchange_current_stream(stream_.device(), previous_);
    device::warn(std::string("while leaving a StreamGuard: ") + error.what());
  }
}

void synchronize(Device device) {
  synchronized(device, std::nullopt, [](device::Backend& backend) { backend.synchronize_all(); });
}

void synchronize(const Stream& stream) { stream.synchronize(); }

void forget_stream(const Stream& stream) {
  std::exception_ptr unreported;
  try {
    if (auto* hook = device::hooks().after_synchronize) hook(stream.device(), stream.native());
  } catch (const UserError&) {
    unreported = std::current_exception();
  }
  device::backend(stream.device()).forget_stream(stream.native());
  if (unreported) std::rethrow_exception(unreported);
}

MemoryUse memory_use(Device device) {
  const device::MemoryStats s = device::backend(device).memory_stats();
  return {.in_use = s.in_use, .peak = s.peak, .reserved = s.reserved, .allocations = s.driver_allocations};
}

void empty_cache(Device device) { device::backend(device).empty_cache(); }

void set_num_threads(int threads) {
  if (threads < 1)
    throw UserError({.op = "set_num_threads",
                     .what = "at least 1 thread is needed, got " + std::to_string(threads),
                     .line = {},
                     .context = {},
                     .fix = {}});
  device::cpu::set_thread_count(threads);
}

int num_threads() { return device::cpu::thread_count(); }

}  // namespace sinter
