// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/compile.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/cache/disk_cache.h"
#include "runtime/cache/kernel_store.h"
#include "runtime/device/log.h"
#include "src/compiler/backends.h"
#include "src/compiler/cache_key.h"
#include "src/compiler/folded.h"
#include "src/compiler/interpreter.h"
#include "src/compiler/library_choice.h"
#include "src/compiler/pipeline.h"

namespace sinter::compiler {
namespace {

using Clock = std::chrono::steady_clock;

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

exec::LoadedKernel load_kernel(device::Backend& backend, const std::string& image, const std::string& entry,
                               std::string source) {
  exec::LoadedKernel k;
  k.module = backend.load(bytes_of(image));
  k.function = k.module->function(entry);
  k.source = std::move(source);
  return k;
}

/// The plan and all its kernels from disk, or nothing.
std::shared_ptr<const exec::Executable> from_disk(const std::string& key, device::Backend& backend) {
  cache::DiskCache& disk = cache::DiskCache::standard();
  const auto stored = disk.load(cache::Kind::graph, key);
  if (!stored) return nullptr;
  try {
    exec::Plan plan = exec::deserialize(*stored);
    std::vector<exec::LoadedKernel> kernels;
    for (const exec::KernelRef& ref : plan.kernels) {
      const auto kernel = cache::load_kernel(disk, ref.key);
      if (!kernel) return nullptr;
      kernels.push_back(load_kernel(backend, kernel->image, kernel->entry, {}));
    }
    return exec::make_executable(std::move(plan), std::move(kernels));
  } catch (const std::exception& e) {
    device::log(device::LogChannel::cache, fmt::format("entry not usable: {}", e.what()));
    return nullptr;
  }
}

std::shared_ptr<const exec::Executable> generate(const graph::Graph& g, const Options& o, const std::string& key,
                                                 device::Backend& backend, Result& result) {
  Generated made = run_pipeline(g, o, backend.properties());
  result.times = made.times;
  std::vector<exec::LoadedKernel> kernels;
  cache::DiskCache& disk = cache::DiskCache::standard();
  for (const CodeImage& image : made.images) {
    kernels.push_back(load_kernel(backend, image.image, image.entry, image.source));
    cache::store_kernel(disk, image.key, image.image, image.entry);
  }
  disk.store(cache::Kind::graph, key, exec::serialize(made.plan));
  result.kernel_notes = std::move(made.notes);
  result.library_notes = std::move(made.library_notes);
  return exec::make_executable(std::move(made.plan), std::move(kernels));
}

/// What runs the graph without code of ours; nullptr if code is to be generated.
std::shared_ptr<const exec::Executable> make_without_code(const graph::Graph& g, const Options& o,
                                                          const device::Properties& properties) {
  if (o.backend == "eager") return make_eager(g);
  if (takes_literal_graphs(o.backend)) return make_registered(g, o.backend);
  const bool can_generate = !g.device.is_cpu() || has_code_generator(g.device, properties);
  return o.backend == "reference" || !can_generate ? make_interpreter(g) : nullptr;
}

/// Executables of this process by key. One thread compiles a key, the others wait for it.
class ProgramTable {
 public:
  template <class Make>
  std::shared_ptr<const exec::Executable> find_or_make(const std::string& key, bool& found, const Make& make) {
    std::promise<std::shared_ptr<const exec::Executable>> promise;
    std::shared_future<std::shared_ptr<const exec::Executable>> future;
    {
      std::scoped_lock lock(mutex_);
      auto [it, added] = entries_.try_emplace(key, promise.get_future().share());
      found = !added;
      future = it->second;
    }
    if (found) return future.get();
    try {
      auto made = make();
      promise.set_value(made);
      return made;
    } catch (...) {
      promise.set_exception(std::current_exception());
      std::scoped_lock lock(mutex_);
      entries_.erase(key);  // the next call tries again
      throw;
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<std::shared_ptr<const exec::Executable>>> entries_;
};

ProgramTable& program_table() {
  static auto* t = new ProgramTable;
  return *t;
}

constinit thread_local Caches readable = Caches::all;

}  // namespace

ReadCaches::ReadCaches(Caches caches) : before_(std::exchange(readable, caches)) {}
ReadCaches::~ReadCaches() { readable = before_; }

Result compile(const graph::Graph& graph, const Options& options) {
  register_compiled_providers();  // what comes from disk, and keys, need them as well
  if (auto folded = compile_folded(graph, options)) return std::move(*folded);
  const auto begin = Clock::now();
  Result result;
  device::Backend& backend = device::backend(graph.device);
  const auto elapsed = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); };
  result.executable = make_without_code(graph, options, backend.properties());
  if (result.executable != nullptr) {
    result.milliseconds = elapsed();
    return result;
  }
  const std::string key = key_text(key_fields(graph, options, backend.properties()));
  const auto make = [&] {
    auto cached = readable == Caches::none ? nullptr : from_disk(key, backend);
    result.from_disk = cached != nullptr;
    return cached ? cached : generate(graph, options, key, backend, result);
  };
  result.executable = readable == Caches::all ? program_table().find_or_make(key, result.from_memory, make) : make();
  result.milliseconds = elapsed();
  if (!result.from_memory)
    result.times.load_ms =
        result.milliseconds - result.times.passes_ms - result.times.text_ms - result.times.machine_ms;
  if (device::log_enabled(device::LogChannel::compile))
    device::log(device::LogChannel::compile,
                fmt::format("{} on {}: {:.1f} ms{}", graph.name, graph.device.text(), result.milliseconds,
                            result.from_memory ? ", from memory"
                            : result.from_disk ? ", from disk"
                                               : ""));
  return result;
}

}  // namespace sinter::compiler
