// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/fuzz/generator.h"
#include "tests/fuzz/planted.h"

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
        Planted{"missing_alias_guard", Fault::missing_alias_guard}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sinter::fuzz
