// SPDX-License-Identifier: Apache-2.0
//
// Hashes the results of transcendental functions and of functions of two arguments, on the device that computes them,
// and compares them with those of another device:
//   bench_math_hashes print cpu [function|all] > hashes.txt                     the lines of tools/math/hashes.txt
//   bench_math_hashes compare tools/math/hashes.txt cuda [function|all]         1 if some hash differs
// Of functions of one argument all 2^32 f32, in blocks of 2^24, all f16 and all bf16; of functions of two 2^30
// stratified pairs of f32 (each sign and exponent of one with each of the other, 2^12 significands), 2^26 pairs of f16
// and bf16 (each value of one with 2^10 of the other), and all pairs of special values.
#include "tools/math/result_hash.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace sinter;  // NOLINT(google-build-using-namespace): nothing else is in this file
using math_tools::block_size;

struct Function {
  const char* name;
  Tensor (*of_one)(const Tensor& x);
  Tensor (*of_two)(const Tensor& x, const Tensor& y);
};

const Function functions[] = {
#define SINTER_MATH_FUNCTION(name, ...) {#name, [](const Tensor& x) { return sinter::name(x); }, nullptr},
#include "tests/math/functions.def"
#undef SINTER_MATH_FUNCTION
#define SINTER_OF_TWO(name) {#name, nullptr, [](const Tensor& x, const Tensor& y) { return sinter::name(x, y); }}
    SINTER_OF_TWO(pow),       SINTER_OF_TWO(atan2),        SINTER_OF_TWO(hypot),     SINTER_OF_TWO(fmod),
    SINTER_OF_TWO(remainder), SINTER_OF_TWO(floor_divide), SINTER_OF_TWO(nextafter),
#undef SINTER_OF_TWO
};

/// Numbers with these low bits as values of a dtype.
Tensor values(const Tensor& bits, DType dtype) { return view(to(bits, dtype.bits() == 16 ? u16 : u32), dtype); }

/// Arguments of a function and what numbers them.
struct Arguments {
  Tensor x, y, keys;
};

/// Which arguments a function gets, block by block.
struct ArgumentSet {
  const char* name;
  bool pairs;
  int64_t (*blocks)(DType dtype);
  int64_t (*size)(DType dtype);
  Arguments (*make)(const Tensor& keys, DType dtype);
};

Arguments every_value(const Tensor& keys, DType dtype) { return {values(keys, dtype), {}, keys}; }

Arguments stratified(const Tensor& keys, DType dtype) {
  const Tensor random = math_tools::mixed(keys);
  if (dtype.bits() == 16) return {values(keys & 0xffff, dtype), values(random, dtype), keys};
  const Tensor x = ((keys >> 12 & 511) << 23) | (random & 0x7fffff);
  const Tensor y = ((keys >> 21 & 511) << 23) | (random >> 23 & 0x7fffff);
  return {values(x, dtype), values(y, dtype), keys};
}

std::vector<float> special_values() {
  std::vector<float> v = {0,
                          0x1p-149f,
                          0x1.8p-130f,
                          0x1p-126f,
                          0x1p-25f,
                          0x1p-14f,
                          0.3f,
                          0.5f,
                          0.999f,
                          0x1.fffffep-1f,
                          1,
                          0x1.000002p0f,
                          1.5f,
                          2,
                          2.5f,
                          3,
                          4,
                          5.5f,
                          7,
                          10,
                          127.5f,
                          2047,
                          2048,
                          65504,
                          0x1p23f + 1,
                          0x1.fffffep23f,
                          0x1p24f,
                          0x1p31f,
                          0x1p32f,
                          0x1p63f,
                          1e10f,
                          0x1p126f,
                          0x1.fffffep127f,
                          INFINITY};
  const size_t positive = v.size();
  for (size_t i = 0; i < positive; ++i) v.push_back(-v[i]);
  v.push_back(NAN);
  return v;
}

Arguments special_pairs(const Tensor& keys, DType dtype) {
  const std::vector<float> v = special_values();
  const Tensor all = to(from<float>(v, {static_cast<int64_t>(v.size())}), dtype);
  const auto n = static_cast<int64_t>(v.size());
  return {reshape(expand(reshape(all, {n, 1}), {n, n}), {n * n}), reshape(expand(all, {n, n}), {n * n}), keys};
}

int64_t special_count(DType) {
  const auto n = static_cast<int64_t>(special_values().size());
  return n * n;
}

int64_t one_block(DType) { return 1; }
int64_t full_block(DType) { return block_size; }

const ArgumentSet sets[] = {
    {"every", false, [](DType t) { return t == f32 ? int64_t{256} : 1; },
     [](DType t) { return t == f32 ? block_size : 65536; }, every_value},
    {"stratified", true, [](DType t) { return t == f32 ? int64_t{64} : 4; }, full_block, stratified},
    {"special", true, one_block, special_count, special_pairs},
};

/// One function's hashes of one dtype and set, in the order of the blocks.
struct Job {
  const Function& function;
  DType dtype;
  const ArgumentSet& set;
  std::string name() const { return std::string(function.name) + " " + std::string(dtype.name()) + " " + set.name; }
};

Tensor results_of(const Job& job, const Arguments& a) {
  return job.set.pairs ? job.function.of_two(a.x, a.y) : job.function.of_one(a.x);
}

/// The numbers of the arguments of the block that begins at `first`, i64 [].
Tensor keys_of(const Job& job, const Tensor& first, Device device) {
  return arange(job.set.size(job.dtype), {.dtype = i64, .device = device}) + first;
}

Tensor first_key(int64_t block) { return from<int64_t>(std::vector<int64_t>{block * block_size}, Dims{}); }

std::vector<uint64_t> hashes_of(const Job& job, Device device) {
  auto hash = compile([&](Tensor first) {
    const Arguments a = job.set.make(keys_of(job, first, device), job.dtype);
    return math_tools::result_hash(results_of(job, a), a.keys, job.dtype);
  });
  std::vector<Tensor> sums;
  for (int64_t block = 0; block < job.set.blocks(job.dtype); ++block)
    sums.push_back(hash(to(first_key(block), device)));
  std::vector<uint64_t> hashes;
  for (const Tensor& t : sums) hashes.push_back(static_cast<uint64_t>(item<int64_t>(t)));
  return hashes;
}

/// Names the first result of a block that is another one on the CPU.
void explain(const Job& job, int64_t block, Device device) {
  const auto run = [&](Device on) {
    const Arguments a = job.set.make(keys_of(job, to(first_key(block), on), on), job.dtype);
    const auto floats = [](const Tensor& t) {
      return t.defined() ? to_vector<float>(to(t, f32)) : std::vector<float>();
    };
    return std::tuple(floats(a.x), floats(a.y), floats(results_of(job, a)));
  };
  const auto [x, y, got] = run(device);
  const auto expected = std::get<2>(run(Device::cpu()));
  for (size_t i = 0; i < got.size(); ++i) {
    const auto a = std::bit_cast<uint32_t>(got[i]), b = std::bit_cast<uint32_t>(expected[i]);
    if (a == b || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    std::printf("  of %.9g%s%.9g it is %.9g (0x%08x), on this CPU %.9g (0x%08x)\n", x[i], y.empty() ? " " : " and ",
                y.empty() ? 0.0 : y[i], got[i], a, expected[i], b);
    return;
  }
  std::printf("  every result is this CPU's; the file's hash is of another version\n");
}

std::vector<Job> jobs_of(const std::string& wanted) {
  std::vector<Job> jobs;
  for (const Function& f : functions)
    for (const ArgumentSet& set : sets)
      for (const DType dtype : {f32, f16, bf16})
        if ((wanted == "all" || wanted == f.name) && set.pairs == (f.of_two != nullptr))
          jobs.push_back({f, dtype, set});
  return jobs;
}

// hash <function> <dtype> <set> <first block> <up to 16 hashes>

constexpr size_t hashes_per_line = 16;

void print(const Job& job, const std::vector<uint64_t>& hashes) {
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i % hashes_per_line == 0) std::printf("%shash %s %zu", i == 0 ? "" : "\n", job.name().c_str(), i);
    std::printf(" %016llx", static_cast<unsigned long long>(hashes[i]));
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::map<std::string, std::vector<uint64_t>> read_hashes(const char* path) {
  std::map<std::string, std::vector<uint64_t>> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word, function, dtype, set;
    size_t first = 0;
    if (!(words >> word >> function >> dtype >> set >> first) || word != "hash") continue;
    std::vector<uint64_t>& list = all[function + " " + dtype + " " + set];
    if (list.size() != first) continue;  // a line is missing: the count will differ
    for (uint64_t h = 0; words >> std::hex >> h;) list.push_back(h);
  }
  return all;
}

/// "exp f32 every: 256 of 256 blocks equal"
bool compare(const Job& job, const std::vector<uint64_t>& expected, const std::vector<uint64_t>& got, Device device) {
  size_t equal = 0, first_wrong = got.size();
  for (size_t i = 0; i < got.size(); ++i) {
    const bool same = i < expected.size() && expected[i] == got[i];
    equal += same ? 1 : 0;
    if (!same) first_wrong = std::min(first_wrong, i);
  }
  std::printf("%-24s %zu of %zu blocks equal\n", job.name().c_str(), equal, got.size());
  if (first_wrong != got.size()) explain(job, static_cast<int64_t>(first_wrong), device);
  std::fflush(stdout);
  return equal == got.size() && expected.size() == got.size();
}

int usage() {
  return std::fprintf(stderr,
                      "usage: bench_math_hashes print <cpu|cuda> [function]\n"
                      "       bench_math_hashes compare <hashes.txt> <cpu|cuda> [function]\n"),
         2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const bool compares = mode == "compare";
  const int place = compares ? 3 : 2;
  if ((mode != "print" && !compares) || argc <= place) return usage();
  const Device device = std::string(argv[place]) == "cuda" ? Device::cuda(0) : Device::cpu();
  const std::vector<Job> jobs = jobs_of(argc > place + 1 ? argv[place + 1] : "all");
  const auto expected = compares ? read_hashes(argv[2]) : std::map<std::string, std::vector<uint64_t>>{};
  const auto begin = std::chrono::steady_clock::now();

  // Compiling takes longer than running on a GPU: many at once there.
  const size_t together = device.is_cuda() ? 14 : 1;
  bool all_equal = !jobs.empty();
  for (size_t first = 0; first < jobs.size(); first += together) {
    std::vector<std::future<std::vector<uint64_t>>> running;
    for (size_t i = first; i < std::min(first + together, jobs.size()); ++i)
      running.push_back(std::async(together > 1 ? std::launch::async : std::launch::deferred,
                                   [&jobs, i, device] { return hashes_of(jobs[i], device); }));
    for (size_t i = 0; i < running.size(); ++i) {
      const Job& job = jobs[first + i];
      const std::vector<uint64_t> hashes = running[i].get();
      if (!compares) print(job, hashes);
      const auto known = expected.find(job.name());
      if (compares)
        all_equal = compare(job, known == expected.end() ? std::vector<uint64_t>{} : known->second, hashes, device) &&
                    all_equal;
    }
  }
  std::fprintf(stderr, "%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return !compares || all_equal ? 0 : 1;
}
