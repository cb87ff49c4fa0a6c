// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "src/compiler/pipeline.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/planted.h"
#include "tests/simt/backend.h"

namespace sinter::fuzz {
namespace {

using graph::Fault;

struct Planted {
  const char* name;
  Fault fault;
  int one_write_in = 16;
};

class Faults : public testing::TestWithParam<Planted> {};

// The fuzzer finds each planted miscompile in time, and it is the miscompile that it finds.
TEST_P(Faults, AreFoundWithinAMinute) {
  const std::clock_t begin = std::clock();  // of the processor: others may use it as well
  const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  for (uint64_t seed = 1; seconds() < 60; ++seed) {
    const Case c = generate(seed, {.max_ops = 12, .one_write_in = GetParam().one_write_in});
    if (!is_found(c, GetParam().fault)) continue;
    fmt::print("{} found by seed {} after {:.2f} s\n", GetParam().name, seed, seconds());
    EXPECT_EQ(compare(c, cpu_ways).text, "") << "without the fault";
    return;
  }
  ADD_FAILURE() << "not found within 60 s";
}

INSTANTIATE_TEST_SUITE_P(
    Planted, Faults,
    testing::Values(
        Planted{"dropped_round_to", Fault::dropped_round_to}, Planted{"load_out_of_mask", Fault::load_out_of_mask},
        Planted{"narrow_offset", Fault::narrow_offset}, Planted{"swapped_operands", Fault::swapped_operands},
        Planted{"broadcast_stride", Fault::broadcast_stride}, Planted{"lost_tail", Fault::lost_tail},
        Planted{"frozen_number", Fault::frozen_number}, Planted{"dropped_view_offset", Fault::dropped_view_offset},
        Planted{"swapped_tie", Fault::swapped_tie}, Planted{"dropped_nan", Fault::dropped_nan},
        Planted{"wrong_wrap", Fault::wrong_wrap}, Planted{"wrong_shift", Fault::wrong_shift},
        Planted{"wrong_fold", Fault::wrong_fold}, Planted{"copy_elided", Fault::copy_elided},
        Planted{"lost_carry", Fault::lost_carry}, Planted{"wrong_identity", Fault::wrong_identity},
        Planted{"stale_alias", Fault::stale_alias}, Planted{"written_too_early", Fault::written_too_early, 3},
        Planted{"missing_alias_guard", Fault::missing_alias_guard}, Planted{"unmasked_fold", Fault::unmasked_fold},
        Planted{"wrong_padding", Fault::wrong_padding}, Planted{"other_order", Fault::other_order}),
    [](const auto& info) { return info.param.name; });

/// Are the CUDA texts other ones with the fault?
bool shows_in_text(const Case& c, Fault f) {
  graph::Graph g = c.graph;
  g.device = Device::cuda(0);
  const auto texts = [&] {
    std::vector<std::string> all;
    for (const compiler::CodeImage& image :
         compiler::run_pipeline(g, {.libraries = false}, device::backend(g.device).properties()).images)
      all.push_back(image.source);
    return all;
  };
  const std::vector<std::string> right = texts();
  const PlantedFault planted(f);
  return texts() != right;
}

// What the CPU has no counterpart of is found on the emulator, by graphs in whose kernels it makes a difference.
TEST(FaultsOfCuda, MissingBarrierIsFoundWithinAMinute) {
  simt::install();
  constexpr Way emulated[] = {{Device::cuda(0), Fusion::all}};
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  for (uint64_t seed = 1; seconds() < 60; ++seed) {
    const Case c = generate(seed, {.max_ops = 12, .symbols = false, .platform_functions = false});
    if (!shows_in_text(c, Fault::missing_barrier)) continue;
    const auto verdict = [&] {
      const PlantedFault planted(Fault::missing_barrier);
      return compare(c, emulated).verdict;
    }();
    if (verdict != Verdict::different) continue;
    fmt::print("missing_barrier found by seed {} after {:.2f} s\n", seed, seconds());
    EXPECT_EQ(compare(c, emulated).text, "") << "without the fault";
    return;
  }
  ADD_FAILURE() << "not found within 60 s";
}

}  // namespace
}  // namespace sinter::fuzz
