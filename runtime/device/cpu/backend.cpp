// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend.h"

#include <sinter/error.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>

#include "runtime/device/builtin.h"
#include "runtime/device/cpu/copy_bytes.h"
#include "runtime/device/cpu/machine.h"
#include "runtime/device/cpu/memory.h"
#include "runtime/device/cpu/module.h"
#include "runtime/device/cpu/stream.h"
#include "runtime/device/device_allocator.h"

namespace sinter::device {

namespace {

using cpu::CpuEvent;
using cpu::CpuGraph;
using cpu::CpuStream;

/// Host memory that knows about captures.
class CapturedHostMemory final : public cpu::HostMemory {
 public:
  using HostMemory::HostMemory;
  uint64_t capture(StreamHandle stream) override {
    const CpuStream* s = cpu::capturing(stream);
    return s ? s->capture_number : 0;
  }
  void when_graph_is_gone(StreamHandle stream, const std::function<void()>& gone) override {
    cpu::capturing(stream)->capture->when_gone.push_back(gone);
  }
};

/// Does the work, or records it if the stream is being captured.
template <class Work>
void do_or_record(StreamHandle stream, Work work) {
  if (CpuStream* s = cpu::capturing(stream))
    s->capture->nodes.emplace_back(std::move(work));
  else
    work();
}

/// The host itself: work is done before a call returns.
class CpuBackend final : public Backend {
 public:
  const Properties& properties() const override { return properties_; }
  void* allocate(size_t bytes, StreamHandle stream) override { return allocator_.allocate(bytes, stream); }
  void release(void* memory, size_t bytes, StreamHandle stream) noexcept override {
    allocator_.release(memory, bytes, stream);
  }
  void set_allocator(Allocator allocator) override { allocator_.set_user_allocator(std::move(allocator)); }
  MemoryStats memory_stats() const override { return allocator_.stats(); }
  void empty_cache() override { allocator_.empty(); }

  void copy_from_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    copy(to, from, bytes, stream);
  }
  void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    copy(to, from, bytes, stream);
  }
  void copy(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes > 0) do_or_record(stream, [=] { cpu::copy_bytes(to, from, bytes); });
  }
  void fill_zero(void* memory, size_t bytes, StreamHandle stream) override {
    if (bytes > 0) do_or_record(stream, [=] { std::memset(memory, 0, bytes); });
  }

  /// A thread's calls run one after another, whatever the stream.
  std::shared_ptr<void> arrivals(StreamHandle) override {
    thread_local const auto words = std::make_shared<std::vector<uint32_t>>(arrival_words);
    return {words, words->data()};
  }

  std::shared_ptr<Module> load(std::span<const std::byte> image) override {
    return std::make_shared<cpu::ObjectModule>(cpu::load_object(image));
  }
  void launch(Function& function, const LaunchConfig& config, const uint64_t* slots, size_t slot_count,
              StreamHandle stream) override {
    auto& f = static_cast<cpu::CpuFunction&>(function);
    CpuStream* s = cpu::capturing(stream);
    if (s == nullptr) return cpu::launch(f.kernel, slots, config.grid, f.cost);
    ++s->capture->kernels;
    s->capture->nodes.emplace_back([&f, n = config.grid, copy = std::vector<uint64_t>(slots, slots + slot_count)] {
      cpu::launch(f.kernel, copy.data(), n, f.cost);
    });
  }

  bool is_host() const override { return true; }
  void perform(StreamHandle stream, std::function<void()>&& work) override { do_or_record(stream, std::move(work)); }

  StreamHandle create_stream() override {
    const std::lock_guard lock(mutex_);
    if (unused_streams_.empty()) unused_streams_.push_back(std::make_unique<CpuStream>());
    StreamHandle stream = unused_streams_.back().release();
    unused_streams_.pop_back();
    return stream;
  }
  void destroy_stream(StreamHandle stream) noexcept override {
    auto* s = static_cast<CpuStream*>(stream);
    s->capture.reset();
    const std::lock_guard lock(mutex_);
    unused_streams_.emplace_back(s);
  }
  void forget_stream(StreamHandle stream) override { allocator_.forget(stream); }
  void synchronize(StreamHandle stream) override {
    if (cpu::capturing(stream)) throw DeviceError("cpu: a stream cannot be waited for while it is being captured");
  }
  void synchronize_all() override {}

  EventHandle create_event() override { return new CpuEvent; }
  void destroy_event(EventHandle event) noexcept override { delete static_cast<CpuEvent*>(event); }
  void record(EventHandle event, StreamHandle stream) override {
    do_or_record(stream, [e = static_cast<CpuEvent*>(event)] { *e = {std::chrono::steady_clock::now(), true}; });
  }
  void wait(StreamHandle, EventHandle) override {}
  void synchronize_event(EventHandle) override {}
  double elapsed_ms(EventHandle begin, EventHandle end) override {
    const auto *b = static_cast<CpuEvent*>(begin), *e = static_cast<CpuEvent*>(end);
    if (!b->recorded || !e->recorded) throw DeviceError("cpu: elapsed time needs two recorded events");
    return std::chrono::duration<double, std::milli>(e->time - b->time).count();
  }

  void begin_capture(StreamHandle stream) override {
    if (stream == nullptr)
      throw DeviceError({.op = {},
                         .what = "cpu: the default stream cannot be captured",
                         .line = {},
                         .context = {},
                         .fix = "capture a stream made by Stream::create()"});
    if (cpu::capturing(stream)) throw DeviceError("cpu: the stream is being captured already");
    auto* s = static_cast<CpuStream*>(stream);
    s->capture = std::make_unique<CpuGraph>();
    s->capture_number = captures_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  GraphHandle end_capture(StreamHandle stream) override {
    CpuStream* s = cpu::capturing(stream);
    if (s == nullptr) throw DeviceError("cpu: the stream is not being captured");
    return s->capture.release();
  }
  void launch_graph(GraphHandle graph, StreamHandle stream) override {
    do_or_record(stream, [g = static_cast<CpuGraph*>(graph)] {
      for (const auto& node : g->nodes) node();
    });
  }
  void destroy_graph(GraphHandle graph) noexcept override { delete static_cast<CpuGraph*>(graph); }
  int64_t captured_kernels(StreamHandle stream) const override {
    const CpuStream* s = cpu::capturing(stream);
    return s == nullptr ? -1 : s->capture->kernels;
  }
  bool is_capturing(StreamHandle stream) const override { return cpu::capturing(stream) != nullptr; }
  void keep_for_graph(StreamHandle stream, std::shared_ptr<void> object) override {
    memory_.when_graph_is_gone(stream, [object = std::move(object)] {});
  }

 private:
  Properties properties_ = cpu::machine();
  CapturedHostMemory memory_{properties_.memory_bytes};
  DeviceAllocator allocator_{memory_, cpu::host_cache_limit(properties_.memory_bytes)};
  std::atomic<uint64_t> captures_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<CpuStream>> unused_streams_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int index) {
  if (index != 0) throw DeviceError("cpu:" + std::to_string(index) + ": there is one CPU device, cpu");
  return std::make_unique<CpuBackend>();
}

}  // namespace sinter::device
