// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/backend.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <atomic>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/device/arrivals.h"
#include "runtime/device/device_allocator.h"
#include "tests/simt/build.h"
#include "tests/simt/device_memory.h"
#include "tests/simt/module.h"
#include "tests/simt/stream.h"

namespace sinter::simt {
namespace {

using device::Backend;
using device::EventHandle;
using device::GraphHandle;
using device::LaunchConfig;
using device::StreamHandle;

struct FixedOrder {
  Order order;
  uint64_t seed;
};

std::optional<FixedOrder>& fixed_order() {
  static std::optional<FixedOrder> value = []() -> std::optional<FixedOrder> {
    const char* text = std::getenv("SINTER_SIMT_ORDER");
    if (text == nullptr) return std::nullopt;
    if (std::strcmp(text, "forward") == 0) return FixedOrder{Order::forward, 0};
    if (std::strcmp(text, "reverse") == 0) return FixedOrder{Order::reverse, 0};
    uint64_t seed = 0;
    std::from_chars(text, text + std::strlen(text), seed);
    return FixedOrder{Order::random, seed};
  }();
  return value;
}

device::Properties properties_of_emulator() {
  device::Properties p;
  p.name = "SIMT emulator";
  p.architecture = "simt";
  p.multiprocessors = 4;
  p.max_threads_per_block = 1024;
  p.shared_bytes_per_block = size_t{227} << 10;
  p.l2_bytes = size_t{50} << 20;
  p.memory_bytes = size_t{1} << 34;
  return p;
}

/// Says at the end of the process what the emulator compiled.
HostBuilder* reported = nullptr;
void report() {
  if (reported != nullptr) std::fprintf(stderr, "simt: %s\n", reported->report().c_str());
}

class SimtBackend final : public Backend {
 public:
  SimtBackend() {
    reported = &builder_;  // back ends live as long as the process
    std::atexit(report);
  }
  const device::Properties& properties() const override { return properties_; }

  void* allocate(size_t bytes, StreamHandle stream) override {
    const std::lock_guard lock(mutex_);
    void* block = allocator_.allocate(bytes, stream);
    memory_.begin(block, bytes, capturing(stream) != nullptr);
    return block;
  }
  void release(void* memory, size_t bytes, StreamHandle stream) noexcept override {
    const std::lock_guard lock(mutex_);
    // A graph goes on using what was allocated during its capture.
    if (memory_.capture(stream) == 0) memory_.end(memory);
    allocator_.release(memory, bytes, stream);
  }
  void record_use(void* memory, StreamHandle stream) override { allocator_.record_use(memory, stream); }
  void set_allocator(Allocator allocator) override {
    arrivals_.clear();
    allocator_.set_user_allocator(std::move(allocator));
  }
  device::MemoryStats memory_stats() const override { return allocator_.stats(); }
  void empty_cache() override {
    arrivals_.clear();
    allocator_.empty();
  }

  void copy_from_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    if (capturing(stream) == nullptr) {
      std::memcpy(to, from, bytes);
      return;
    }
    std::vector<std::byte> kept(static_cast<const std::byte*>(from), static_cast<const std::byte*>(from) + bytes);
    run(stream, [to, kept = std::move(kept)] { std::memcpy(to, kept.data(), kept.size()); });
  }
  void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes > 0) run(stream, [=] { std::memcpy(to, from, bytes); });
  }
  void copy(void* to, const void* from, size_t bytes, StreamHandle stream) override {
    if (bytes > 0) run(stream, [=] { std::memmove(to, from, bytes); });
  }
  void fill_zero(void* memory, size_t bytes, StreamHandle stream) override {
    if (bytes > 0) run(stream, [=] { std::memset(memory, 0, bytes); });
  }

  std::shared_ptr<void> arrivals(StreamHandle stream) override { return arrivals_.of(*this, stream); }

  std::shared_ptr<device::Module> load(std::span<const std::byte> image) override {
    const std::lock_guard lock(mutex_);
    return std::make_shared<SimtModule>(builder_,
                                        std::string(reinterpret_cast<const char*>(image.data()), image.size()));
  }

  void launch(device::Function& function, const LaunchConfig& config, const uint64_t* slots, size_t slot_count,
              StreamHandle stream) override {
    if (config.grid <= 0) return;
    if (config.grid > INT_MAX) throw DeviceError(fmt::format("simt: a launch of {} blocks", config.grid));
    if (config.threads > 1024 || config.threads % 32 != 0)
      throw DeviceError(fmt::format("simt: a launch of {} threads a block", config.threads));
    std::vector<uint64_t> kept(slots, slots + slot_count);
    auto& f = static_cast<SimtFunction&>(function);
    run(stream, [this, &f, config, kept = std::move(kept)] { run_kernel(f, config, kept); });
  }

  bool is_host() const override { return true; }
  void perform(StreamHandle stream, std::function<void()>&& work) override { run(stream, std::move(work)); }

  StreamHandle create_stream() override { return new Stream; }
  void destroy_stream(StreamHandle stream) noexcept override {
    const std::lock_guard lock(mutex_);
    retired_.emplace_back(static_cast<Stream*>(stream));  // the allocator may still speak of it
  }
  void forget_stream(StreamHandle stream) override {
    arrivals_.forget(stream);
    allocator_.forget(stream);
  }
  void synchronize(StreamHandle stream) override {
    if (capturing(stream) != nullptr)
      throw DeviceError("simt: a stream cannot be waited for while it is being captured");
  }
  void synchronize_all() override {}
  EventHandle create_event() override { return new Event; }
  void destroy_event(EventHandle event) noexcept override { delete static_cast<Event*>(event); }
  void record(EventHandle event, StreamHandle stream) override {
    run(stream, [event] { static_cast<Event*>(event)->time = std::chrono::steady_clock::now(); });
  }
  void wait(StreamHandle, EventHandle) override {}
  void synchronize_event(EventHandle) override {}
  double elapsed_ms(EventHandle begin, EventHandle end) override {
    const auto time = static_cast<Event*>(end)->time - static_cast<Event*>(begin)->time;
    return std::chrono::duration<double, std::milli>(time).count();
  }

  void begin_capture(StreamHandle stream) override {
    if (stream == nullptr) throw DeviceError("simt: the default stream cannot be captured");
    auto* s = static_cast<Stream*>(stream);
    s->capture = std::make_unique<Graph>();
    s->capture_number = ++captures_;
  }
  GraphHandle end_capture(StreamHandle stream) override { return static_cast<Stream*>(stream)->capture.release(); }
  void launch_graph(GraphHandle graph, StreamHandle stream) override {
    run(stream, [graph] {
      for (const auto& node : static_cast<Graph*>(graph)->nodes) node();
    });
  }
  void destroy_graph(GraphHandle graph) noexcept override { delete static_cast<Graph*>(graph); }
  bool is_capturing(StreamHandle stream) const override { return capturing(stream) != nullptr; }
  void keep_for_graph(StreamHandle stream, std::shared_ptr<void> object) override {
    memory_.when_graph_is_gone(stream, [object = std::move(object)] {});
  }

 private:
  template <class F>
  void run(StreamHandle stream, F&& work) {
    if (Stream* s = capturing(stream))
      s->capture->nodes.emplace_back(std::forward<F>(work));
    else
      work();
  }

  void run_kernel(SimtFunction& function, const LaunchConfig& config, const std::vector<uint64_t>& slots) {
    const std::lock_guard lock(mutex_);
    const HostCode& code = function.code();
    if (code.slots != slots.size())
      throw DeviceError(fmt::format("simt: {} takes {} arguments, not {}", code.entry, code.slots, slots.size()));
    if (code.shared_is_dynamic && config.shared_bytes != static_cast<int>(code.shared_bytes))
      throw DeviceError(fmt::format("simt: {} is launched with {} bytes of shared memory, not {}", code.entry,
                                    config.shared_bytes, code.shared_bytes));
    if (config.grid % code.cluster != 0)
      throw DeviceError(fmt::format("simt: {} blocks in clusters of {}", config.grid, code.cluster));
    const uint64_t number = launches_++;
    FixedOrder order{static_cast<Order>(number % 3), number};
    if (fixed_order()) order = *fixed_order();
    const std::string wrong = runner_.run({.kernel = code.kernel,
                                           .slots = slots.data(),
                                           .blocks = static_cast<unsigned>(config.grid),
                                           .threads = static_cast<unsigned>(config.threads),
                                           .cluster = code.cluster,
                                           .shared = code.shared,
                                           .shared_bytes = code.shared_bytes,
                                           .order = order.order,
                                           .seed = order.seed});
    if (wrong.empty()) return;
    constexpr const char* names[] = {"forward", "reverse", "random"};
    throw DeviceError(fmt::format("simt: kernel {}: {} (order {}, seed {})", code.entry, wrong,
                                  names[static_cast<size_t>(order.order)], order.seed));
  }

  device::Properties properties_ = properties_of_emulator();
  DeviceMemory memory_;
  device::DeviceAllocator allocator_{memory_};
  device::Arrivals arrivals_;
  BlockRunner runner_{memory_};
  HostBuilder builder_{SINTER_SIMT_FOLDER, runner_.table()};
  std::recursive_mutex mutex_;
  std::vector<std::unique_ptr<Stream>> retired_;
  std::atomic<uint64_t> captures_{0};
  uint64_t launches_ = 0;
};

}  // namespace

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    device::register_backend(DeviceKind::cuda, [](int index) -> std::unique_ptr<Backend> {
      if (index != 0) throw DeviceError(fmt::format("cuda:{}: the emulator is one device", index));
      return std::make_unique<SimtBackend>();
    });
  });
}

void set_order(Order order, uint64_t seed) { fixed_order() = FixedOrder{order, seed}; }
void vary_order() { fixed_order().reset(); }

const std::string& text_of(const device::Function& function) {
  return static_cast<const SimtFunction&>(function).text();
}

}  // namespace sinter::simt
