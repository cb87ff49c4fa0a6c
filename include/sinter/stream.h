// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/error.h>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace sinter {

class Event;

/// An ordered queue of work on a device. Copies share it.
///
/// Everything Sinter does is queued on the calling thread's current stream. Unless a StreamGuard says otherwise that is
/// the device's default stream: on CUDA the legacy default stream (native handle 0), the one PyTorch and plain CUDA
/// code use, so their work and ours is in order without any synchronisation. The CPU finishes work before a call
/// returns; its streams exist so that the same program runs on both.
class Stream {
 public:
  /// The default stream of a device.
  explicit Stream(Device device = Device::best());
  /// A new stream that does not wait for the default stream. DeviceError if the device is absent.
  static Stream create(Device device = Device::best());
  /// A stream that the caller owns (a CUstream or cudaStream_t; null is the legacy default stream, also in programs
  /// that are compiled for per-thread default streams). Call forget_stream() before destroying it. UserError for
  /// CU_STREAM_PER_THREAD.
  ///
  /// The caller may capture it into a graph of its own. Calls of compiled functions are recorded there like kernels;
  /// results belong to the graph and hold their values after each replay. Host memory that ops read (small constants,
  /// to(tensor, device)) is read at the capture. What needs a value on the host is a UserError and leaves the capture
  /// intact. Indices out of range are skipped in a replay, but not reported.
  static Stream from_native(void* native, Device device = Device::cuda(0), SourceLine line = SourceLine::current());

  void* native() const noexcept { return native_; }
  Device device() const noexcept { return device_; }
  /// Blocks the calling thread until all work queued on this stream is done. DeviceError if some of it failed,
  /// UserError if an op on it met an index out of range.
  void synchronize() const;
  /// Later work on this stream starts after what `event` recorded.
  void wait(const Event& event) const;
  friend bool operator==(const Stream& a, const Stream& b) noexcept {
    return a.native_ == b.native_ && a.device_ == b.device_;
  }

 private:
  Stream(Device device, void* native, std::shared_ptr<void> owner);
  Device device_;
  void* native_ = nullptr;
  std::shared_ptr<void> owner_;  ///< set if Sinter made the stream
};

/// A point in a stream's work.
class Event {
 public:
  explicit Event(Device device = Device::best());
  /// Marks what is queued on `stream` now; the stream must be of the event's device (UserError).
  void record(const Stream& stream);
  /// Blocks the calling thread until the recorded work is done; at once if nothing was recorded.
  void synchronize() const;
  /// Milliseconds from this event to `later`; both must be recorded and done (DeviceError).
  double elapsed_ms(const Event& later) const;
  Device device() const noexcept { return device_; }
  void* native() const noexcept { return handle_.get(); }

 private:
  Device device_;
  std::shared_ptr<void> handle_;
};

/// The stream on which this thread's work for `device` is queued.
Stream current_stream(Device device = Device::best());

/// Makes a stream the current one of its device for this thread, until destroyed. Inside compile() the change of stream
/// ends a region.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  Stream stream_;
  void* previous_;
};

/// Blocks until everything queued on the device is done. DeviceError if some of it failed.
void synchronize(Device device);
void synchronize(const Stream& stream);

/// To be called before the program destroys a stream of its own that Sinter has worked on: memory cached for it goes to
/// other streams, in the order of its work. Tensors that were made on it must be gone. Waits for the stream only if an
/// index check on it is not reported yet, which is then thrown as a UserError.
void forget_stream(const Stream& stream);

/// Memory of a device as Sinter's allocator sees it, in bytes.
struct MemoryUse {
  uint64_t in_use = 0;      ///< held by tensors and running work
  uint64_t peak = 0;        ///< the most that was ever in use
  uint64_t reserved = 0;    ///< taken from the device: in use and cached
  int64_t allocations = 0;  ///< times the device (CUDA driver, operating system) was asked for memory
};
/// Memory of the program's allocator (set_allocator) counts too, but for `allocations`; `peak` is then at most this.
MemoryUse memory_use(Device device);
/// Gives cached memory back to the device.
void empty_cache(Device device);

/// Threads that CPU kernels run on, the calling one included; at least 1. The default is SINTER_NUM_THREADS, or the
/// number of processors this process may use. UserError below 1; above 1024 it is 1024.
void set_num_threads(int threads);
int num_threads();

}  // namespace sinter
#pragma GCC visibility pop
