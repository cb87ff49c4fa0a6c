// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/minimise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/planted.h"

namespace sinter::fuzz {
namespace {

constexpr const char* large = R"(graph "large" on cpu {
  symbols 2, s1 in [2,64]
  %0 f16 [7,33] = input strides=[1,9], offset=5
  %1 i32 [1,33] = input
  %2 f32 [s1] = input
  %3 f16 [33,7] = transpose(%0) a=0, b=1
  %4 f16 [33,7] = mul(%3) lhs=none, rhs=floating s0
  %5 f32 [33,7] = to(%4) dtype=f32
  %6 f32 [33,7] = tanh(%5)
  %7 f32 [33] = sum(%6) dims=[1], keepdim=false
  %8 f32 [1,33] = add(%1, %7) lhs=none, rhs=none
  %9 f32 [s1] = neg(%2)
  %10 f32 [34,7] = pad(%6) pads=[0,0,1,0], value=1.0
  return %5, %8, %9, %10
}
)";

Case large_case() {
  ops::register_all_ops();
  return {graph::parse(large), 1, {{0x3ff0000000000000, 5}, {0x4000000000000000, 9}}, 1};
}

/// Is there a node of `op` that reads one of `producer`, with at least `least` elements?
bool has_pair(const Case& c, std::string_view op, std::string_view producer, int64_t least) {
  for (graph::NodeId id = 0; id < c.graph.size(); ++id) {
    const graph::Node& n = c.graph.node(id);
    if (n.op == nullptr || n.op->name != op) continue;
    const bool reads = std::ranges::any_of(n.operands, [&](graph::Value v) {
      const graph::Node& from = c.graph.node(v.node);
      return from.op != nullptr && from.op->name == producer;
    });
    if (reads && shape_of(n.results[0], c.calls[0]).product() >= least) return true;
  }
  return false;
}

TEST(Minimise, KeepsWhatFailsAndNothingElse) {
  const Case least = minimise(large_case(), [](const Case& c) { return has_pair(c, "tanh", "to", 10); });
  EXPECT_EQ(graph::print(least.graph), R"(graph "large" on cpu {
  %0 f32 [5,2] = input
  %1 f32 [5,2] = to(%0) dtype=f32
  %2 f32 [5,2] = tanh(%1)
  return %2
}
)");
  EXPECT_EQ(least.calls, std::vector<std::vector<int64_t>>{{}});
  EXPECT_EQ(least.misaligned, 0);
}

TEST(Minimise, KeepsSymbolsThatTheFailureNeeds) {
  const Case least = minimise(large_case(), [](const Case& c) {
    return c.calls.size() == 2 && graph::print(c.graph).find("rhs=floating s0") != std::string::npos;
  });
  EXPECT_EQ(least.calls.size(), 2u);
  EXPECT_EQ(graph::print(least.graph), R"(graph "large" on cpu {
  symbols 2, s1 in [2,64]
  %0 f32 [1,1] = input
  %1 f32 [1,1] = mul(%0) lhs=none, rhs=floating s0
  return %1
}
)");
}

TEST(Minimise, KeepsTheCaseWhereNothingSmallerFails) {
  const std::string all = graph::print(large_case().graph);
  const Case least = minimise(large_case(), [&](const Case& c) { return graph::print(c.graph) == all; });
  EXPECT_EQ(graph::print(least.graph), all);
}

// From a miscompiled graph to a test: the printed text fails with the fault and passes without it.
TEST(Minimise, GivesATestThatReproduces) {
  constexpr graph::Fault fault = graph::Fault::dropped_view_offset;
  const auto fails = [](const Case& c) { return is_found(c, fault); };
  uint64_t seed = 1;
  while (seed < 200 && !fails(generate(seed, {.max_ops = 8}))) ++seed;
  const Case least = minimise(generate(seed, {.max_ops = 8}), fails, 400);
  ASSERT_TRUE(fails(least));
  const std::string text = graph::print(least.graph);
  EXPECT_LE(least.graph.size(), 3) << text;
  EXPECT_NE(text.find("slice"), std::string::npos) << text;
  EXPECT_NE(test_text(least, "x").find(text), std::string::npos);
  const Reproduction read_back{text.c_str(), least.data_seed, least.calls, least.misaligned};
  EXPECT_EQ(difference_of(read_back), "");
  const PlantedFault planted(fault);
  EXPECT_NE(difference_of(read_back), "");
}

}  // namespace
}  // namespace sinter::fuzz
