// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend.h"

#include <sinter/error.h>

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/device/builtin.h"
#include "runtime/device/cpu/machine.h"
#include "runtime/device/cpu/memory.h"
#include "runtime/device/cpu/object_loader.h"
#include "runtime/device/cpu/thread_pool.h"

namespace sinter::device {
namespace {

using Clock = std::chrono::steady_clock;

class CpuFunction final : public Function {
 public:
  explicit CpuFunction(CpuKernel k) : kernel(k) {}
  FunctionInfo info() const override { return {}; }
  const CpuKernel kernel;
};

class CpuModule final : public Module {
 public:
  explicit CpuModule(std::shared_ptr<cpu::LoadedObject> object) : object_(std::move(object)) {}
  Function* function(const std::string& name) override {
    std::scoped_lock lock(mutex_);
    auto it = functions_.find(name);
    if (it != functions_.end()) return &it->second;
    void* address = object_->symbol(name);
    if (address == nullptr) throw CompileError("the CPU object has no entry " + name);
    return &functions_.try_emplace(name, reinterpret_cast<CpuKernel>(address)).first->second;
  }

 private:
  std::shared_ptr<cpu::LoadedObject> object_;
  std::mutex mutex_;
  std::map<std::string, CpuFunction> functions_;
};

struct Launch {
  CpuKernel kernel;
  const uint64_t* slots;
};

/// Programs that a thread should get at least, so that handing out work is not the work.
constexpr int64_t programs_per_thread = 2;

/// The host itself: everything is synchronous, so streams and events carry only time.
class CpuBackend final : public Backend {
 public:
  const Properties& properties() const override { return properties_; }
  void* allocate(size_t bytes, StreamHandle) override { return allocator_.allocate(bytes); }
  void release(void* memory, size_t bytes, StreamHandle) noexcept override { allocator_.release(memory, bytes); }
  MemoryStats memory_stats() const override { return allocator_.stats(); }
  void empty_cache() override { allocator_.empty(); }

  void copy_from_host(void* to, const void* from, size_t bytes, StreamHandle) override { std::memcpy(to, from, bytes); }
  void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle) override { std::memcpy(to, from, bytes); }
  void copy(void* to, const void* from, size_t bytes, StreamHandle) override { std::memmove(to, from, bytes); }
  void fill_zero(void* memory, size_t bytes, StreamHandle) override { std::memset(memory, 0, bytes); }

  std::shared_ptr<Module> load(std::span<const std::byte> image) override {
    return std::make_shared<CpuModule>(cpu::load_object(image));
  }
  void launch(Function& function, const LaunchConfig& config, const uint64_t* slots, size_t, StreamHandle) override {
    Launch launch{static_cast<CpuFunction&>(function).kernel, slots};
    cpu::parallel_for(
        config.grid, programs_per_thread,
        [](void* context, int64_t begin, int64_t end) {
          const auto& l = *static_cast<Launch*>(context);
          l.kernel(l.slots, begin, end);
        },
        &launch);
  }

  StreamHandle create_stream() override { return new char; }
  void destroy_stream(StreamHandle stream) noexcept override { delete static_cast<char*>(stream); }
  void synchronize(StreamHandle) override {}
  void synchronize_all() override {}
  EventHandle create_event() override { return new Clock::time_point; }
  void destroy_event(EventHandle event) noexcept override { delete static_cast<Clock::time_point*>(event); }
  void record(EventHandle event, StreamHandle) override { *static_cast<Clock::time_point*>(event) = Clock::now(); }
  void wait(StreamHandle, EventHandle) override {}
  void synchronize_event(EventHandle) override {}
  double elapsed_ms(EventHandle begin, EventHandle end) override {
    return std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point*>(end) -
                                                     *static_cast<Clock::time_point*>(begin)).count();
  }
  void begin_capture(StreamHandle) override { refuse_capture(); }
  GraphHandle end_capture(StreamHandle) override { refuse_capture(); }
  void launch_graph(GraphHandle, StreamHandle) override { refuse_capture(); }
  void destroy_graph(GraphHandle) noexcept override {}

 private:
  [[noreturn]] static void refuse_capture() {
    throw DeviceError({{}, "cpu: launches cannot be captured into a graph", {}, {}, "use a CUDA device"});
  }
  Properties properties_ = cpu::machine();
  cpu::Allocator allocator_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int index) {
  if (index != 0) throw DeviceError({{}, "cpu:" + std::to_string(index) + ": there is one CPU device", {}, {}, {}});
  return std::make_unique<CpuBackend>();
}

}  // namespace sinter::device
