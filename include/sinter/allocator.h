// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/error.h>

#include <cstddef>
#include <functional>

#pragma GCC visibility push(default)
namespace sinter {

/// Where a program's own memory comes from: a pool that it shares with other libraries, or one that it watches. Both
/// functions may be called by any thread, by several at once, and on CUDA with the device's context current. `stream`
/// is the native handle of the stream whose work uses the memory; null is the default stream.
struct Allocator {
  /// At least `bytes` bytes of the device's memory, aligned to 64 bytes, that work queued on `stream` from now on may
  /// use. `bytes` is a multiple of 64. A null pointer or an exception becomes a DeviceError with the bytes asked for.
  /// While `stream` is being captured the memory must be ordinary memory, not an allocation node of the graph.
  std::function<void*(size_t bytes, void* stream)> allocate;
  /// Takes a block back, with the arguments it was allocated with. Work that uses it may still be queued on `stream`,
  /// so it is free for that stream at once, for others when that work is done. What it throws is a warning.
  std::function<void(void* memory, size_t bytes, void* stream)> release;
};

/// From now on memory of `device` for tensors and for running work comes from `allocator`, and nothing is cached here;
/// earlier blocks go back to where they came from, whenever they are released. Memory that was allocated while a stream
/// was captured goes back after the graph is gone, at the next empty_cache(). DeviceError if the device is absent,
/// UserError if a function is missing.
void set_allocator(Device device, Allocator allocator, SourceLine line = SourceLine::current());

/// Sinter's caching allocator again. The program's allocator is still called for the blocks it gave.
void reset_allocator(Device device);

}  // namespace sinter
#pragma GCC visibility pop
