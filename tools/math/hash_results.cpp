// SPDX-License-Identifier: Apache-2.0
//
// Computes transcendental functions of all 2^32 f32 on a device, through the compiled ops, and compares the results
// with the hashes of tools/math/accuracy.txt, which the expansions gave on a CPU:
//   bench_math_hashes <accuracy.txt> [device: cuda|cpu] [function|all] [step]
// With a step of N every N-th block of 2^24 inputs alone. Names the first wrong result of each block that differs, and
// returns 1 if there is one.
#include <sinter/sinter.h>

#include "tests/math/oracle.h"
#include "tools/math/block_hash.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace {

using sinter::Tensor;
using sinter::math_tools::block_count;
using sinter::math_tools::block_inputs;
using sinter::math_tools::BlockHash;

struct Op {
  const char* name;
  Tensor (*apply)(const Tensor& x);
};

const Op ops[] = {
#define SINTER_MATH_FUNCTION(name, ...) {#name, [](const Tensor& x) { return sinter::name(x); }},
#include "tests/math/functions.def"
#undef SINTER_MATH_FUNCTION
};

using Hashes = std::map<std::string, std::vector<uint64_t>>;

Hashes read_hashes(const char* path) {
  Hashes hashes;
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (word == "hash") {
      std::string name;
      uint64_t first = 0;
      file >> name >> std::dec >> first;
      std::vector<uint64_t>& list = hashes[name];
      list.resize(block_count);
      for (uint64_t i = 0; i < sinter::math_tools::hashes_per_line; ++i) file >> std::hex >> list.at(first + i);
    }
    std::getline(file, word);
  }
  return hashes;
}

std::vector<float> inputs_of(uint64_t block) {
  std::vector<float> x(block_inputs);
  for (uint64_t i = 0; i < block_inputs; ++i)
    x[i] = std::bit_cast<float>(static_cast<uint32_t>(block * block_inputs + i));
  return x;
}

uint64_t hash_of(const std::vector<float>& y) {
  BlockHash hash;
  for (const float v : y) hash.add(v);
  return hash.value();
}

/// Prints the first result that differs from the expansion's.
void explain(const char* name, const std::vector<float>& x, const std::vector<float>& y) {
  for (const auto& f : sinter::math_test::functions()) {
    if (std::string_view(f.name) != name) continue;
    std::vector<float> expected(x.size());
    f.evaluate(x.data(), expected.data(), static_cast<int>(x.size()), sinter::f32);
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(expected[i]) ||
          (y[i] != y[i] && expected[i] != expected[i]))
        continue;
      std::printf("  %s(%.9g) = %.9g (0x%08x), expected %.9g (0x%08x)\n", name, x[i], y[i],
                  std::bit_cast<uint32_t>(y[i]), expected[i], std::bit_cast<uint32_t>(expected[i]));
      return;
    }
  }
  std::printf("  %s: every result is the expansion's here; the file's hash is of another version\n", name);
}

/// Whether the block's results have the expected hash; runs beside the device's next work.
bool check(const Op& op, const std::vector<float>& x, const std::vector<float>& y, uint64_t block, uint64_t expected) {
  if (hash_of(y) == expected) return true;
  std::printf("%s: block %llu differs\n", op.name, static_cast<unsigned long long>(block));
  explain(op.name, x, y);
  return false;
}

struct Count {
  int equal = 0, all = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_math_hashes <accuracy.txt> [device] [function] [step]\n"), 2;
  const std::string device_name = argc > 2 ? argv[2] : "cuda", wanted = argc > 3 ? argv[3] : "all";
  const uint64_t step = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  const sinter::Device device = device_name == "cpu" ? sinter::Device::cpu() : sinter::Device::cuda(0);
  const Hashes hashes = read_hashes(argv[1]);
  std::map<std::string, Count> counts;
  for (uint64_t block = 0; block < block_count; block += step) {
    const std::vector<float> x = inputs_of(block);
    const Tensor on_device = sinter::to(sinter::from(x, {static_cast<int64_t>(block_inputs)}), device);
    std::vector<std::future<bool>> checks;
    std::vector<const Op*> checked;
    for (const Op& op : ops) {
      const auto found = hashes.find(op.name);
      if (found == hashes.end() || (wanted != "all" && wanted != op.name)) continue;
      checks.push_back(std::async(std::launch::async, [&op, &x, block, expected = found->second[block],
                                                       y = sinter::to_vector<float>(op.apply(on_device))] {
        return check(op, x, y, block, expected);
      }));
      checked.push_back(&op);
    }
    for (size_t i = 0; i < checks.size(); ++i) {
      Count& count = counts[checked[i]->name];
      ++count.all;
      count.equal += checks[i].get() ? 1 : 0;
    }
  }
  bool all_equal = !counts.empty();
  for (const auto& [name, count] : counts) {
    std::printf("%-12s %d of %d blocks equal\n", name.c_str(), count.equal, count.all);
    all_equal = all_equal && count.equal == count.all;
  }
  return all_equal ? 0 : 1;
}
