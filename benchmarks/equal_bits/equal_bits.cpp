// SPDX-License-Identifier: Apache-2.0
// bench_equal_bits: no time, but the bits of the workloads that reduce: a hash of the results for each way to schedule
// them, on one device, on the CPU with 1 and 2 threads. All hashes of a row must be equal, and equal on all devices,
// but where hardware approximates the exponential (softmax, cross_entropy: docs/semantics.md). Those are here a second
// time, written out in ops that it does not approximate. record_equal_bits.py makes docs/equal_bits.md of the lines.
//
//     bench_equal_bits [--device cpu|cuda] [part of a name]
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/workload_runner/workload.h"
#include "codegen/schedule/fold_strategy.h"
#include "src/compiler/compile.h"

namespace sinter::benchmarks {
namespace {

using schedule::FoldStrategy;

/// A workload with as many rows as a CPU folds in seconds; columns are what a schedule depends on. 0 rows: all.
struct Row {
  const char* workload;
  int64_t rows = 0;
};

constexpr Row rows[] = {
    {"add_rmsnorm_16384x4096_bf16", 1024},
    {"colsum_16384x4096_bf16"},
    {"colsum_65536x4096_bf16"},
    {"cross_entropy_8192x131072_bf16", 64},
    {"cross_entropy_8192x50257_bf16", 64},
    {"layernorm_16384x4096_bf16", 1024},
    {"layernorm_16384x6007_bf16", 1024},
    {"mean_var_amax_argmax_8192x16384_f32", 256},
    {"rmsnorm_131072x128_bf16", 16384},
    {"softmax_32768x4096_bf16", 1024},
    {"softmax_8192x131072_bf16", 32},
    {"softmax_8192x8192_f16", 512},
    {"sum_all_f32_64M"},
};

struct Strategy {
  const char* name;
  FoldStrategy strategy;
  bool cuda_only = false;
};

constexpr Strategy strategies[] = {
    {"chosen", FoldStrategy::automatic},
    {"looped", FoldStrategy::looped},
    {"split", FoldStrategy::split},
    {"rows by programs", FoldStrategy::rows_by_programs},
    {"rows by warps", FoldStrategy::rows_by_warps, true},
    {"rows by elements", FoldStrategy::rows_by_elements, true},
    {"columns by programs", FoldStrategy::columns_by_programs},
    {"columns by warps", FoldStrategy::columns_by_warps, true},
};

const Workload& workload_named(std::string_view name) {
  const auto& all = workloads();
  const auto at = std::ranges::find(all, name, &Workload::name);
  if (at == all.end()) throw std::runtime_error(fmt::format("no workload {}", name));
  return **at;
}

Workload with_rows(Workload w, int64_t n) {
  if (n == 0) return w;
  const int64_t all = w.inputs[0].shape[0];
  w.name += fmt::format(", {} rows", n);
  for (Input& in : w.inputs)
    if (in.shape[0] == all) in.shape[0] = n;
  return w;
}

/// softmax and cross_entropy of rows in ops that are nowhere approximated.
Tensor exact_log_softmax(const Tensor& x) {
  const Tensor wide = to(x, f32), d = wide - amax(wide, {.dims = {-1}, .keepdim = true});
  return d - log(sum(exp(d), {.dims = {-1}, .keepdim = true}));
}

Results written_out(const Workload& w, Arguments a) {
  if (w.name.starts_with("cross_entropy")) return {nll_loss(exact_log_softmax(a[0]), a[1])};
  const Tensor wide = to(a[0], f32), e = exp(wide - amax(wide, {.dims = {-1}, .keepdim = true}));
  return {to(e / sum(e, {.dims = {-1}, .keepdim = true}), a[0].dtype())};
}

bool is_approximate(std::string_view name) { return name.starts_with("softmax") || name.starts_with("cross_entropy"); }

/// FNV-1a over words of 8 bytes, then bytes.
uint64_t hash_of(const void* data, size_t bytes, uint64_t h) {
  const auto* p = static_cast<const unsigned char*>(data);
  const auto mix = [&](uint64_t word) { h = (h ^ word) * 0x100000001b3ull; };
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, p + i, 8);
    mix(word);
    h ^= h >> 29;
  }
  for (; i < bytes; ++i) mix(p[i]);
  return h;
}

uint64_t hash_of(const Results& results) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (const Tensor& t : results) {
    std::vector<char> bytes(static_cast<size_t>(t.numel() * t.dtype().bytes()));
    copy_to_host(t, bytes.data(), t.dtype(), SourceLine::current());
    h = hash_of(bytes.data(), bytes.size(), h);
  }
  return h;
}

class Table {
 public:
  explicit Table(Device device) : device_(device) {}

  void add(const Workload& w) {
    const std::vector<Tensor> arguments = make_arguments(w, device_);
    std::set<uint64_t> hashes;
    for (const Strategy& s : strategies) {
      if (s.cuda_only && device_.is_cpu()) continue;
      try {
        add(w, s, arguments, hashes);
      } catch (const std::exception& e) {
        fmt::print(stderr, "{}, {}: {}\n", w.name, s.name, e.what());
        all_equal_ = false;
      }
    }
    all_equal_ = all_equal_ && hashes.size() == 1;
    empty_cache(device_);
  }
  bool all_equal() const { return all_equal_; }

 private:
  void add(const Workload& w, const Strategy& s, const std::vector<Tensor>& arguments, std::set<uint64_t>& hashes) {
    const schedule::ForcedFolds forced(s.strategy);
    const compiler::ReadCaches read(compiler::Caches::none);  // or the text of its kernels would not be known
    auto f = compile(w.run, {.name = "row"});
    const auto kernels = static_cast<uint32_t>(kernels_of(f, arguments));
    for (const int threads : device_.is_cpu() ? std::vector{1, 2} : std::vector{0}) {
      if (threads > 0) set_num_threads(threads);
      const uint64_t h = hash_of(f(arguments));
      hashes.insert(h);
      fmt::print("{}\t{}\t{}\t{}\t{:08x}\t{:016x}\n", device_.is_cpu() ? "cpu" : "cuda", threads, w.name, s.name,
                 kernels, h);
      std::fflush(stdout);
    }
  }

  /// Of the texts of the kernels: are schedules different ones?
  template <class F>
  static uint64_t kernels_of(F& f, const std::vector<Tensor>& arguments) {
    uint64_t h = 0;
    for (const KernelExplanation& k : f.explain(arguments).kernels()) h = hash_of(k.source.data(), k.source.size(), h);
    return h;
  }

  Device device_;
  bool all_equal_ = true;
};

bool run(Device device, const std::string& part) {
  Table table(device);
  for (const Row& r : rows) {
    const Workload w = with_rows(workload_named(r.workload), r.rows);
    if (w.name.find(part) == std::string::npos) continue;
    table.add(w);
    if (!is_approximate(w.name)) continue;
    Workload exact = w;
    exact.name += ", written out";
    exact.run = [w](Arguments a) { return written_out(w, a); };
    table.add(exact);
  }
  return table.all_equal();
}

}  // namespace
}  // namespace sinter::benchmarks

int main(int argc, char** argv) try {
  using sinter::Device;
  Device device = Device::best();
  std::string part;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--device" && i + 1 < argc)
      device = std::string_view(argv[++i]) == "cuda" ? Device::cuda(0) : Device::cpu();
    else
      part = argv[i];
  }
  if (sinter::benchmarks::run(device, part)) return 0;
  fmt::print(stderr, "schedules of a row differ in bits\n");
  return 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
