// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/backend.h"

#include <fmt/format.h>
#include <algorithm>

#include <climits>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/device/arrivals.h"
#include "runtime/device/cuda/context.h"
#include "runtime/device/cuda/machine.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/device/cuda/module.h"
#include "runtime/device/device_allocator.h"
#include "runtime/device/log.h"

namespace sinter::device::cuda {

namespace {

CUstream native(StreamHandle stream) { return static_cast<CUstream>(stream); }
CUevent event_of(EventHandle event) { return static_cast<CUevent>(event); }
CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

class CudaBackend final : public Backend {
 public:
  CudaBackend(const Driver& driver, int index) : driver_(driver), context_(driver, index) {}

  const Properties& properties() const override { return properties_; }
  void* allocate(size_t bytes, StreamHandle stream) override { return allocator_.allocate(bytes, stream); }
  void release(void* memory, size_t bytes, StreamHandle stream) noexcept override {
    allocator_.release(memory, bytes, stream);
  }
  void record_use(void* memory, StreamHandle stream) override { allocator_.record_use(memory, stream); }
  void set_allocator(Allocator allocator) override {
    arrivals_.clear();
    allocator_.set_user_allocator(in_context(std::move(allocator)));
  }
  MemoryStats memory_stats() const override { return allocator_.stats(); }
  void empty_cache() override {
    arrivals_.clear();
    allocator_.empty();
  }

  void copy_from_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const Context::Guard current(context_);
    context_.check(driver_.MemcpyHtoDAsync(address(to), from, bytes, native(stream)), "cuMemcpyHtoDAsync");
  }
  void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const Context::Guard current(context_);
    context_.check(driver_.MemcpyDtoHAsync(to, address(from), bytes, native(stream)), "cuMemcpyDtoHAsync");
  }
  void copy(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const Context::Guard current(context_);
    context_.check(driver_.MemcpyAsync(address(to), address(from), bytes, native(stream)), "cuMemcpyAsync");
  }
  void fill_zero(void* memory, size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const Context::Guard current(context_);
    context_.check(driver_.MemsetD8Async(address(memory), 0, bytes, native(stream)), "cuMemsetD8Async");
  }

  std::shared_ptr<void> arrivals(StreamHandle stream) override { return arrivals_.of(*this, stream); }

  std::shared_ptr<Module> load(std::span<const std::byte> image) override {
    return std::make_shared<CudaModule>(context_, image, properties_);
  }
  void launch(Function& function, const LaunchConfig& config, const uint64_t* slots, size_t slot_count,
              StreamHandle stream) override {
    if (config.grid <= 0 || config.grid_y <= 0 || config.grid_z <= 0) return;
    if (config.grid > INT_MAX)
      throw DeviceError(
          fmt::format("{}: a launch of {} blocks; the limit is {}", context_.text(), config.grid, INT_MAX));
    size_t bytes = slot_count * sizeof(uint64_t);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<uint64_t*>(slots), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    const Context::Guard current(context_);
    context_.check(
        driver_.LaunchKernel(static_cast<CudaFunction&>(function).handle(), static_cast<unsigned>(config.grid),
                             static_cast<unsigned>(config.grid_y), static_cast<unsigned>(config.grid_z),
                             static_cast<unsigned>(config.threads), static_cast<unsigned>(config.threads_y),
                             static_cast<unsigned>(config.threads_z), static_cast<unsigned>(config.shared_bytes),
                             native(stream), nullptr, slot_count == 0 ? nullptr : extra),
        "cuLaunchKernel");
  }

  /// Streams are kept for the next who wants one. The allocator may still order memory by a stream's handle, so a
  /// handle must never come to mean another queue.
  StreamHandle create_stream() override {
    const std::lock_guard lock(mutex_);
    if (!unused_streams_.empty()) {
      const CUstream stream = unused_streams_.back();
      unused_streams_.pop_back();
      return stream;
    }
    const Context::Guard current(context_);
    const OutsideCapture relaxed(driver_);
    CUstream stream = nullptr;
    context_.check(driver_.StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return stream;
  }
  void destroy_stream(StreamHandle stream) noexcept override {
    const std::lock_guard lock(mutex_);
    unused_streams_.push_back(native(stream));
  }
  void forget_stream(StreamHandle stream) override {
    arrivals_.forget(stream);
    allocator_.forget(stream);
  }
  /// The driver refuses to wait while this thread captures some stream, and spoils that capture; to wait for another
  /// stream harms nobody.
  void synchronize(StreamHandle stream) override {
    if (is_capturing(stream))
      throw DeviceError({.op = {},
                         .what = context_.text() + ": a stream cannot be waited for while it is being captured",
                         .line = {},
                         .context = {},
                         .fix = "end the capture, launch its graph, and wait then"});
    const Context::Guard current(context_);
    const OutsideCapture relaxed(driver_);
    context_.check(driver_.StreamSynchronize(native(stream)), "cuStreamSynchronize");
  }
  void synchronize_all() override {
    const Context::Guard current(context_);
    context_.check(driver_.CtxSynchronize(), "cuCtxSynchronize");
  }

  EventHandle create_event() override {
    const Context::Guard current(context_);
    const OutsideCapture relaxed(driver_);
    CUevent event = nullptr;
    context_.check(driver_.EventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return event;
  }
  void destroy_event(EventHandle event) noexcept override { driver_.EventDestroy(event_of(event)); }
  void record(EventHandle event, StreamHandle stream) override {
    const Context::Guard current(context_);
    context_.check(driver_.EventRecord(event_of(event), native(stream)), "cuEventRecord");
  }
  void wait(StreamHandle stream, EventHandle event) override {
    const Context::Guard current(context_);
    context_.check(driver_.StreamWaitEvent(native(stream), event_of(event), 0), "cuStreamWaitEvent");
  }
  void synchronize_event(EventHandle event) override {
    const Context::Guard current(context_);
    const OutsideCapture relaxed(driver_);
    context_.check(driver_.EventSynchronize(event_of(event)), "cuEventSynchronize");
  }
  double elapsed_ms(EventHandle begin, EventHandle end) override {
    const Context::Guard current(context_);
    float ms = 0;
    context_.check(driver_.EventElapsedTime(&ms, event_of(begin), event_of(end)), "cuEventElapsedTime");
    return static_cast<double>(ms);
  }

  void begin_capture(StreamHandle stream) override {
    if (stream == nullptr)
      throw DeviceError({.op = {},
                         .what = context_.text() + ": the default stream cannot be captured",
                         .line = {},
                         .context = {},
                         .fix = "capture a stream made by Stream::create()"});
    const Context::Guard current(context_);
    context_.check(driver_.StreamBeginCapture(native(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                   "cuStreamBeginCapture");
  }
  GraphHandle end_capture(StreamHandle stream) override {
    const Context::Guard current(context_);
    CUgraph graph = nullptr;
    context_.check(driver_.StreamEndCapture(native(stream), &graph), "cuStreamEndCapture");
    CUgraphExec exec = nullptr;
    const CUresult result = driver_.GraphInstantiateWithFlags(&exec, graph, 0);
    driver_.GraphDestroy(graph);
    context_.check(result, "cuGraphInstantiateWithFlags");
    return exec;
  }
  void launch_graph(GraphHandle graph, StreamHandle stream) override {
    const Context::Guard current(context_);
    context_.check(driver_.GraphLaunch(static_cast<CUgraphExec>(graph), native(stream)), "cuGraphLaunch");
  }
  void destroy_graph(GraphHandle graph) noexcept override { driver_.GraphExecDestroy(static_cast<CUgraphExec>(graph)); }
  int64_t captured_kernels(StreamHandle stream) const override {
    const Context::Guard current(context_);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = nullptr;
    context_.check(driver_.StreamGetCaptureInfo(native(stream), &status, nullptr, &graph, nullptr, nullptr),
                   "cuStreamGetCaptureInfo");
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return -1;
    size_t count = 0;
    context_.check(driver_.GraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes");
    std::vector<CUgraphNode> nodes(count);
    context_.check(driver_.GraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes");
    return std::ranges::count_if(nodes, [&](CUgraphNode node) {
      CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
      context_.check(driver_.GraphNodeGetType(node, &type), "cuGraphNodeGetType");
      return type == CU_GRAPH_NODE_TYPE_KERNEL;
    });
  }
  bool is_capturing(StreamHandle stream) const override { return memory_.capture(stream) != 0; }
  void keep_for_graph(StreamHandle stream, std::shared_ptr<void> object) override {
    memory_.when_graph_is_gone(stream, [object = std::move(object)] {});
  }

 private:
  /// The program's functions, called with the context current.
  Allocator in_context(Allocator a) {
    if (!a.allocate) return {};
    return {.allocate =
                [this, f = std::move(a.allocate)](size_t bytes, void* stream) {
                  const Context::Guard current(context_);
                  return f(bytes, stream);
                },
            .release =
                [this, f = std::move(a.release)](void* memory, size_t bytes, void* stream) {
                  const Context::Guard current(context_);
                  f(memory, bytes, stream);
                }};
  }

  const Driver& driver_;
  Context context_;
  Properties properties_ = machine(context_);
  mutable DeviceMemory memory_{context_};
  DeviceAllocator allocator_{memory_};
  Arrivals arrivals_;
  std::mutex mutex_;
  std::vector<CUstream> unused_streams_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const Driver& driver, int index) {
  return std::make_unique<CudaBackend>(driver, index);
}

}  // namespace sinter::device::cuda
