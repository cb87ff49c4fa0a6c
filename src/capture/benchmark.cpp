// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/benchmark.h>
#include <sinter/ops.h>
#include <sinter/stream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>

#include "runtime/device/backend.h"
#include "src/compiler/build_identity.h"
#include "src/compiler/compile.h"
#include "src/tensor/impl.h"

namespace sinter::benchmarking {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Spread spread(std::vector<double> us) {
  std::ranges::sort(us);
  const auto at = [&](double q) {
    return us[static_cast<size_t>(std::lround(q * static_cast<double>(us.size() - 1)))];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

/// Elements that are expanded (stride 0) are one.
int64_t distinct_bytes(const Tensor& t) {
  const tensor::TensorImpl& impl = tensor::computed(t, "benchmark");
  int64_t n = 1;
  for (size_t d = 0; d < impl.shape.size(); ++d)
    n *= impl.strides[d] == 0 ? std::min<int64_t>(impl.shape[d], 1) : impl.shape[d];
  return n * impl.dtype.bytes();
}

int64_t bytes_of(const std::vector<Tensor>& tensors, std::set<const tensor::Storage*>& seen) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors)
    if (const tensor::TensorImpl& impl = tensor::computed(t, "benchmark"); seen.insert(impl.storage.get()).second)
      bytes += distinct_bytes(t);
  return bytes;
}

/// One thing that takes its turn in every round.
struct Contestant {
  std::function<void()> run;
  std::vector<double> device_us = {}, host_us = {};
};

/// Times contestants on the current stream of a device.
class Rounds {
 public:
  explicit Rounds(Device device) : device_(device), backend_(device::backend(device)) {
    if (!device.is_cuda()) return;
    const auto bytes = static_cast<int64_t>(2 * std::max<size_t>(backend_.properties().l2_bytes, 1 << 20));
    scratch_ = tensor::empty({bytes}, u8, device);
  }

  void run(const std::vector<Contestant*>& contestants, const BenchmarkOptions& how) {
    for (Contestant* c : contestants)
      for (int i = 0; i < warm_calls; ++i) c->run();
    wait();
    const auto begin = Clock::now();
    for (int i = 0; i < std::max(how.rounds, 1) && (i == 0 || ms_since(begin) < how.seconds * 1e3); ++i)
      device_.is_cuda() ? device_round(contestants) : host_round(contestants);
  }
  void wait() { backend_.synchronize(stream()); }

 private:
  static constexpr int warm_calls = 3, flushes_ahead = 6;

  device::StreamHandle stream() const { return device::current_stream(device_); }

  void flush() {
    const tensor::TensorImpl& s = *scratch_.impl();
    backend_.fill_zero(s.data(), s.storage->bytes, stream());
  }

  void host_round(const std::vector<Contestant*>& contestants) {
    for (Contestant* c : contestants) {
      const auto begin = Clock::now();
      c->run();
      c->device_us.push_back(ms_since(begin) * 1e3);
      c->host_us.push_back(c->device_us.back());
    }
  }

  void device_round(const std::vector<Contestant*>& contestants) {
    for (int i = 0; i < flushes_ahead; ++i) flush();  // the device never waits for the host
    std::vector<std::pair<Event, Event>> events;
    for (Contestant* c : contestants) {
      flush();
      auto& [begin, end] = events.emplace_back(Event(device_), Event(device_));
      backend_.record(begin.native(), stream());
      const auto clock = Clock::now();
      c->run();
      c->host_us.push_back(ms_since(clock) * 1e3);
      backend_.record(end.native(), stream());
    }
    wait();
    for (size_t i = 0; i < contestants.size(); ++i)
      contestants[i]->device_us.push_back(events[i].first.elapsed_ms(events[i].second) * 1e3);
  }

  Device device_;
  device::Backend& backend_;
  Tensor scratch_;
};

/// The first call of a function made anew, and what it took.
struct FirstCall {
  Candidate candidate;
  double ms = 0;
};

FirstCall first_call(const Make& make, const CompileOptions& options, compiler::Caches caches, Device device) {
  const compiler::ReadCaches read(caches);
  FirstCall f{make(options)};
  const auto begin = Clock::now();
  f.candidate.run();
  device::backend(device).synchronize(device::current_stream(device));
  f.ms = ms_since(begin);
  return f;
}

/// The driver, its compiler and ours are loaded before any clock starts.
void load_everything(Device device) {
  const compiler::ReadCaches read(compiler::Caches::none);
  auto tiny = compile([](const Tensor& x) { return x * 2; }, {.name = "warm_up"});
  (void)tiny(full({4}, 1, f32, device));
  device::backend(device).synchronize(device::current_stream(device));
}

/// Captures a call on a stream of its own and lets the device count; nothing where that cannot be.
std::optional<int64_t> captured_kernels(const Candidate& candidate, Device device, std::string& why_not) {
  device::Backend& backend = device::backend(device);
  const Stream stream = Stream::create(device);
  const StreamGuard guard(stream);
  candidate.run();  // memory of this stream is at hand
  backend.synchronize(stream.native());
  backend.begin_capture(stream.native());
  std::optional<int64_t> count;
  try {
    candidate.run();
    count = backend.captured_kernels(stream.native());
  } catch (const std::exception& e) {
    why_not = e.what();
  }
  try {
    backend.destroy_graph(backend.end_capture(stream.native()));
  } catch (const DeviceError& e) {  // a call that waited has broken the capture
    why_not = e.what();
    return std::nullopt;
  }
  return count && *count >= 0 ? count : std::nullopt;
}

std::string way_name(Fusion fusion) {
  return fusion == Fusion::all ? "fusion all" : fusion == Fusion::vertical ? "fusion vertical" : "op by op";
}

Device device_of(const std::vector<Tensor>& tensors) {
  for (const Tensor& t : tensors)
    if (t.device().is_cuda()) return t.device();
  return Device::cpu();
}

/// A copy that reads half of the bytes and writes half.
Contestant copy_of(int64_t bytes, Device device) {
  const Dims half = {std::max<int64_t>(bytes / 2, 1)};
  const Tensor from = full(half, 1, u8, device), to = tensor::empty(half, u8, device);
  return {[from, to, half, device] {
    device::backend(device).copy(to.impl()->data(), from.impl()->data(), static_cast<size_t>(half[0]),
                                 device::current_stream(device));
  }};
}

}  // namespace

BenchmarkResult measure(const Make& make, const std::vector<Tensor>& arguments, const CompileOptions& options,
                        const BenchmarkOptions& how, SourceLine line) {
  if (how.fusions.empty()) throw UserError({"benchmark", "no way of fusing is asked for", line, {}, "name one"});
  const std::vector<Tensor> results = make(options).results();
  std::vector<Tensor> all = arguments;
  all.insert(all.end(), results.begin(), results.end());
  const Device device = device_of(all);
  const device::Properties& p = device::backend(device).properties();
  BenchmarkResult out;
  out.name = options.name;
  out.location = line.text();
  out.device = fmt::format("{} {} ({})", device.text(), p.name, p.architecture);
  out.build = compiler::build_identity();
  std::set<const tensor::Storage*> seen;
  out.argument_bytes = bytes_of(arguments, seen);
  out.result_bytes = bytes_of(results, seen);
  load_everything(device);

  std::vector<Contestant> contestants;
  for (Fusion fusion : how.fusions) {
    CompileOptions o = options;
    o.fusion = fusion;
    BenchmarkWay way;
    way.name = way_name(fusion);
    const FirstCall cold = first_call(make, o, compiler::Caches::none, device);
    way.cold_ms = cold.ms;
    way.cold_compile = cold.candidate.stats().compile;
    const FirstCall warm = first_call(make, o, compiler::Caches::disk, device);
    const FunctionStats stats = warm.candidate.stats();
    if (stats.compilations > 0 && stats.disk_hits == stats.compilations) way.disk_ms = warm.ms;
    const Candidate& c = warm.candidate;
    c.run();
    way.launches = -c.stats().launches;
    c.run();
    way.launches += c.stats().launches;
    way.captured = captured_kernels(c, device, out.why_not_captured).value_or(-1);
    contestants.push_back({c.run});
    out.ways.push_back(std::move(way));
  }
  Contestant copy = copy_of(out.argument_bytes + out.result_bytes, device);
  std::vector<Contestant*> turns;
  for (Contestant& c : contestants) turns.push_back(&c);
  turns.push_back(&copy);
  Rounds(device).run(turns, how);
  out.copy = spread(copy.device_us);
  for (size_t i = 0; i < contestants.size(); ++i) {
    out.ways[i].device = spread(contestants[i].device_us);
    out.ways[i].host = spread(contestants[i].host_us);
    out.ways[i].of_copy = out.copy.median / out.ways[i].device.median;
  }
  return out;
}

}  // namespace sinter::benchmarking
