// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nan_bits.h"

#include <gtest/gtest.h>

#include <sinter/error.h>

#include <array>
#include <limits>

#include "src/graph/graph.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/fuzz/campaign.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/minimise.h"

namespace sinter::fuzz {
namespace {

using reference::Array;

/// Square roots and moved elements, read as integers and written as such.
constexpr const char* reading_bits = R"(graph "bits" on cpu {
  %0 f32 [4] = input
  %1 f32 [4] = sqrt(%0)
  %2 i32 [4] = view(%1) dtype=i32
  %3 f32 [4] = flip(%0) dims=[0]
  %4 i32 [4] = view(%3) dtype=i32
  %5 i32 [4] = add(%2) lhs=none, rhs=1
  return %1, %5, %4
}
)";

TEST(NanBits, OnlyWhatReadsComputedNansHangsOnThem) {
  ops::register_all_ops();
  const graph::Graph g = graph::parse(reading_bits);
  const Array inputs[] = {Array::of(f32, {4}, std::array{4.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 9.0})};
  const std::vector<Array> outputs = reference::interpret(g, inputs);
  const std::vector<NanBits> hanging = hanging_on_nan_bits(g, inputs, {}, outputs);
  EXPECT_EQ(hanging[0], (NanBits{false, false, false, false})) << "any NaN equals any NaN as a float";
  EXPECT_EQ(hanging[1], (NanBits{false, true, true, false}));
  EXPECT_EQ(hanging[2], (NanBits{false, false, false, false})) << "the NaN of the input was only moved";

  Array got = outputs[1];
  got.set(1, scalar::constant_int(i32, 7));
  EXPECT_NE(difference(outputs[1], got, {}), "");
  EXPECT_EQ(difference(outputs[1], got, hanging[1]), "");
  got.set(0, scalar::constant_int(i32, 7));
  EXPECT_NE(difference(outputs[1], got, hanging[1]), "") << "other elements are compared";
  EXPECT_NE(difference(outputs[0], outputs[1], hanging[1]), "") << "so are dtypes";
}

TEST(NanBits, AMissingNanIsADifference) {
  const Array expected = Array::of(f32, {1}, std::array{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_NE(difference(expected, Array::of(f32, {1}, std::array{1.0}), {false}), "");
}

TEST(Campaigns, ADeviceThatIsNotThereIsNoGraphsFault) {
  constexpr Way nowhere[] = {{Device::cuda(63)}};
  EXPECT_NE(why_nothing_runs(nowhere), "");
}

// Candidates without an operand that their attributes promise crashed the interpreter.
TEST(Campaigns, EveryCandidateCanBeInterpreted) {
  ops::register_all_ops();
  int candidates = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    (void)minimise(
        generate(seed, {.max_ops = 8}),
        [&](const Case& c) { return ++candidates, compare(c, {}).verdict != Verdict::different; }, 60);
  EXPECT_GT(candidates, 12) << "more than one a seed";
  constexpr const char* one_sided = R"(graph "sum" on cpu {
  %0 f32 [2] = input
  %1 f32 [2] = add(%0) lhs=none, rhs=none
  return %1
}
)";
  EXPECT_THROW(graph::parse(one_sided), Error);
}

}  // namespace
}  // namespace sinter::fuzz
