// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/allocator.h>
#include <sinter/device.h>
#include <sinter/error.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace sinter::device {

/// A native stream (CUstream), or nullptr: the default stream. The CPU has one stream and runs in order.
using StreamHandle = void*;
using EventHandle = void*;
using GraphHandle = void*;

/// Entry of a CPU kernel: runs program ids begin .. end-1.
using CpuKernel = void (*)(const uint64_t* slots, int64_t begin, int64_t end);

struct Properties {
  std::string name;          ///< "NVIDIA H200", the CPU's model name
  std::string architecture;  ///< "sm_90a", "x86-64-v4"
  std::string driver;        ///< "CUDA 13.0"; empty on the CPU
  int multiprocessors = 1;   ///< SMs, or CPU threads
  int max_threads_per_block = 1;
  size_t shared_bytes_per_block = 0;  ///< with opt-in
  size_t l2_bytes = 0;
  size_t memory_bytes = 0;
  int vector_bits = 128;             ///< CPU: native vector width
  double copy_bytes_per_second = 0;  ///< known copy ceiling (read + written) for explain(); 0: unknown
};

/// Resources of a loaded kernel.
struct FunctionInfo {
  int registers = 0;
  int local_bytes = 0;  ///< spills and stack, a thread
  int static_shared_bytes = 0;
  int max_threads = 0;
};

class Function {
 public:
  virtual ~Function() = default;
  virtual FunctionInfo info() const = 0;
};

/// A loaded image; its functions live as long as it.
class Module {
 public:
  virtual ~Module() = default;
  /// Throws CompileError if the image has no such entry.
  virtual Function* function(const std::string& name) = 0;
};

/// Groups of programs that a kernel may fold over the grid, and words of those that scan over it (codegen/tile:
/// grid_reduce, grid_scan).
inline constexpr int64_t arrival_words = int64_t{1} << 15;

struct LaunchConfig {
  int64_t grid = 1;      ///< blocks, linear; 0 launches nothing
  int threads = 1;       ///< a block
  int shared_bytes = 0;  ///< dynamic
  /// Further dims of the grid and of a block, for users' own kernels on CUDA.
  int64_t grid_y = 1, grid_z = 1;
  int threads_y = 1, threads_z = 1;
};

struct MemoryStats {
  size_t in_use = 0, peak = 0, reserved = 0;
  int64_t driver_allocations = 0;
};

/// One device. All calls are asynchronous on the given stream unless they say otherwise; thread safe.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Properties& properties() const = 0;

  /// At least 64-byte aligned; from the caching allocator, ordered on `stream`. Out of memory: empties the cache once,
  /// tries again, then throws DeviceError. bytes == 0 gives a valid address that is never read.
  virtual void* allocate(size_t bytes, StreamHandle stream) = 0;
  virtual void release(void* memory, size_t bytes, StreamHandle stream) noexcept = 0;
  /// `memory` was allocated on another stream and is used by work queued on `stream`: once released it is not handed
  /// out again before that work is done.
  virtual void record_use(void* memory, StreamHandle stream) {
    (void)memory;
    (void)stream;
  }
  /// Where later memory comes from; the caching allocator if it has no functions. See sn::set_allocator.
  virtual void set_allocator(Allocator allocator) = 0;
  virtual MemoryStats memory_stats() const = 0;
  virtual void empty_cache() = 0;

  /// Ordinary host memory may be reused at once; page-locked memory only after synchronize(stream).
  virtual void copy_from_host(void* device, const void* host, size_t bytes, StreamHandle stream) = 0;
  /// The host buffer may be read after synchronize(stream).
  virtual void copy_to_host(void* host, const void* device, size_t bytes, StreamHandle stream) = 0;
  virtual void copy(void* to, const void* from, size_t bytes, StreamHandle stream) = 0;
  virtual void fill_zero(void* memory, size_t bytes, StreamHandle stream) = 0;

  /// `arrival_words` zero words (u32) for the kernels queued on `stream`, which leave them zero; held until they are
  /// queued. Not while the stream is captured: the graph may be replayed beside the stream's other work.
  virtual std::shared_ptr<void> arrivals(StreamHandle stream) = 0;

  /// CUDA: a cubin. CPU: a relocatable object as the LLVM back end makes it.
  virtual std::shared_ptr<Module> load(std::span<const std::byte> image) = 0;
  virtual void launch(Function& function, const LaunchConfig& config, const uint64_t* slots, size_t slot_count,
                      StreamHandle stream) = 0;

  /// Is the host the device, so that its own functions may compute on it?
  virtual bool is_host() const { return false; }
  /// Work of the host in the order of the stream: done at once, or recorded if the stream is being captured.
  /// DeviceError unless is_host().
  virtual void perform(StreamHandle stream, std::function<void()>&& work);

  virtual StreamHandle create_stream() = 0;
  /// The handle may be given out again by create_stream(), never to anything else: memory released on it stays in
  /// order.
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  /// The caller will destroy a stream of its own: nothing is ordered by the handle any more. Waits for nothing.
  virtual void forget_stream(StreamHandle stream) = 0;
  virtual void synchronize(StreamHandle stream) = 0;
  /// Waits for everything on the device; only for sn::synchronize(Device).
  virtual void synchronize_all() = 0;
  virtual EventHandle create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  virtual void synchronize_event(EventHandle event) = 0;
  virtual double elapsed_ms(EventHandle begin, EventHandle end) = 0;

  /// Capture of what is launched on `stream` into a replayable graph. The default stream cannot be captured
  /// (DeviceError). Memory allocated on the stream meanwhile stays reserved for the graph as long as the graph lives.
  virtual void begin_capture(StreamHandle stream) = 0;
  virtual GraphHandle end_capture(StreamHandle stream) = 0;
  virtual void launch_graph(GraphHandle graph, StreamHandle stream) = 0;
  virtual void destroy_graph(GraphHandle graph) noexcept = 0;
  /// Kernels queued on a stream since its capture began, as the device itself counts them; -1 where it cannot tell.
  virtual int64_t captured_kernels(StreamHandle stream) const {
    (void)stream;
    return -1;
  }
  /// Is somebody (we or the user) capturing the stream? Then nothing may wait for it.
  ///
  /// Any thread may queue work on a stream, also while another thread does: values that a break of a compiled function
  /// left uncomputed go to the break's stream, whoever uses them. Not while the stream is captured: a break computes
  /// everything then, and a thread with another current stream is refused.
  virtual bool is_capturing(StreamHandle stream) const {
    (void)stream;
    return false;
  }
  /// Keeps an object as long as the graph that `stream` is being captured into: what its nodes read.
  virtual void keep_for_graph(StreamHandle stream, std::shared_ptr<void> object) = 0;
};

/// The back end of a device; created on first use. Throws DeviceError in words, naming `line`, when there is none.
Backend& backend(Device device, SourceLine line = {});
/// Does backend(device) work? Never throws.
bool available(Device device) noexcept;

/// Replaces how the back ends of a kind are made (before their first use): a test emulator takes CUDA's place this way.
using BackendFactory = std::function<std::unique_ptr<Backend>(int index)>;
void register_backend(DeviceKind kind, BackendFactory factory);

/// This thread's current stream on a device (nullptr unless set).
StreamHandle current_stream(Device device);
StreamHandle exchange_current_stream(Device device, StreamHandle stream);

}  // namespace sinter::device
