// SPDX-License-Identifier: Apache-2.0
// bench_index_writes [name]: times of what writes, counts and orders by index on the best device, one row each:
// median microseconds of a call with cold caches. benchmarks/compare_index_writes.py times PyTorch's.
#include <fmt/format.h>
#include <sinter/benchmark.h>
#include <sinter/sinter.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace sn = sinter;
using sn::Tensor;

struct Row {
  std::string_view name;
  std::function<std::vector<Tensor>(sn::Device)> arguments;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> run;
};

Tensor numbers(const sn::Dims& shape, sn::Device device) { return sn::randn(shape, sn::f32, device); }

Tensor indices(int64_t bound, int64_t count, sn::DType dtype, sn::Device device) {
  return sn::randint(0, bound, {count}, dtype, device);
}

/// All of [0, count), but each tenth a copy of its neighbour.
Tensor nearly_distinct(int64_t count, sn::Device device) {
  const Tensor i = sn::arange(count, {.device = device});
  return sn::where(sn::remainder(i, 10) == 9, i - 1, i);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"sort_2^24_f32", [](sn::Device d) { return std::vector{numbers({int64_t{1} << 24}, d)}; },
       [](const std::vector<Tensor>& t) {
         const sn::Sorted s = sn::sort(t[0]);
         return std::vector{s.values, s.indices};
       }},
      {"sort_4096x4096_f32", [](sn::Device d) { return std::vector{numbers({4096, 4096}, d)}; },
       [](const std::vector<Tensor>& t) {
         const sn::Sorted s = sn::sort(t[0]);
         return std::vector{s.values, s.indices};
       }},
      {"topk64_4096x32768_f32", [](sn::Device d) { return std::vector{numbers({4096, 32768}, d)}; },
       [](const std::vector<Tensor>& t) {
         const sn::Sorted s = sn::topk(t[0], 64);
         return std::vector{s.values, s.indices};
       }},
      {"index_add_1Mx64_f32",
       [](sn::Device d) {
         const int64_t n = 1 << 20;
         return std::vector{numbers({n, 64}, d), nearly_distinct(n, d), numbers({n, 64}, d)};
       },
       [](const std::vector<Tensor>& t) { return std::vector{sn::index_add(t[0], 0, t[1], t[2])}; }},
      {"index_copy_1Mx64_f32",
       [](sn::Device d) {
         const int64_t n = 1 << 20;
         return std::vector{numbers({n, 64}, d), nearly_distinct(n, d), numbers({n, 64}, d)};
       },
       [](const std::vector<Tensor>& t) { return std::vector{sn::index_copy(t[0], 0, t[1], t[2])}; }},
      {"bincount_2^26_i32_256", [](sn::Device d) { return std::vector{indices(256, int64_t{1} << 26, sn::i32, d)}; },
       [](const std::vector<Tensor>& t) { return std::vector{sn::bincount(t[0], {.length = 256})}; }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const sn::Device device = sn::Device::best();
  for (const Row& row : rows()) {
    if (argc > 1 && row.name != argv[1]) continue;
    const std::vector<Tensor> arguments = row.arguments(device);
    const auto result =
        sn::benchmark(sn::compile([&](const std::vector<Tensor>& t) { return row.run(t); }, {.name = "row"}),
                      sn::BenchmarkOptions{.fusions = {sn::Fusion::all}, .rounds = 11}, arguments);
    fmt::print("{:24} {:10.1f} us  {} launches  cold {:.0f} ms\n", row.name, result.ways[0].device.median,
               result.ways[0].launches, result.ways[0].cold_ms);
  }
}
