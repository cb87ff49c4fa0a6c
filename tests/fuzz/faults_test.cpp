// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/fuzz/generator.h"
#include "tests/fuzz/planted.h"

namespace sinter::fuzz {
namespace {

using graph::Fault;

struct Planted {
  const char* name;
  Fault fault;
};

class Faults : public testing::TestWithParam<Planted> {};

// The fuzzer finds each planted miscompile in time, and it is the miscompile that it finds.
TEST_P(Faults, AreFoundWithinAMinute) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (uint64_t seed = 1; seconds() < 60; ++seed) {
    const Case c = generate(seed, {.max_ops = 12});
    if (!is_found(c, GetParam().fault)) continue;
    fmt::print("{} found by seed {} after {:.2f} s\n", GetParam().name, seed, seconds());
    EXPECT_EQ(compare(c, cpu_ways).text, "") << "without the fault";
    return;
  }
  ADD_FAILURE() << "not found within 60 s";
}

INSTANTIATE_TEST_SUITE_P(Planted, Faults,
                         testing::Values(Planted{"dropped_round_to", Fault::dropped_round_to},
                                         Planted{"load_out_of_mask", Fault::load_out_of_mask},
                                         Planted{"narrow_offset", Fault::narrow_offset},
                                         Planted{"swapped_operands", Fault::swapped_operands},
                                         Planted{"broadcast_stride", Fault::broadcast_stride},
                                         Planted{"lost_tail", Fault::lost_tail},
                                         Planted{"frozen_number", Fault::frozen_number},
                                         Planted{"dropped_view_offset", Fault::dropped_view_offset}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sinter::fuzz
