// SPDX-License-Identifier: Apache-2.0
// Small groups that share a launch: which may, which may not, and that no bit depends on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "src/lower/join_groups.h"
#include "src/lower/limits.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Value;

class JoinGroups : public testing::Test {
 protected:
  void SetUp() override { ops::register_all_ops(); }
};

std::string copies(const std::vector<std::pair<int, int>>& from_to) {
  std::string text;
  for (size_t i = 0; i < from_to.size(); ++i)
    text += fmt::format(
        "  group g{} {{\n    nest [a0 < 8] {{\n      %0 = load b{}[a0] : f32\n      store b{}[a0] = %0\n    }}\n  }}\n",
        i, from_to[i].first, from_to[i].second);
  return text;
}

/// The names of the groups' first members, each with its nests, after copies between the buffers have been joined. 0
/// and 1 are inputs, 2 and 3 outputs, 4 and 5 temporaries, 6 another view of input 0, whose elements are those of 8
/// to 15.
std::string joined(const std::vector<std::pair<int, int>>& from_to) {
  std::string text = "program p {\n  symbols 0\n";
  const char* roles[] = {"input 0", "input 1", "output 0", "output 1", "temporary 0", "temporary 1", "input 0"};
  for (int b = 0; b < 7; ++b)
    text += fmt::format("  buffer b{} {} : f32 [8] strides [1] offset [{}]\n", b, roles[b], b == 6 ? 8 : 0);
  loop::Program p = loop::parse(text + copies(from_to) + "}\n");
  lower::join_groups(p);
  std::string names;
  for (const loop::Group& g : p.groups)
    names += fmt::format("{}{}:{}", names.empty() ? "" : " ", g.name, g.nests.size());
  return names;
}

TEST_F(JoinGroups, TakesWhatIsIndependent) {
  EXPECT_EQ(joined({{0, 2}, {1, 3}}), "g0:2");
  EXPECT_EQ(joined({{0, 2}, {0, 3}, {1, 4}}), "g0:3");
  EXPECT_EQ(joined({{0, 4}, {4, 2}, {1, 3}}), "g0:2 g1:1");          // the third goes past the second
  EXPECT_EQ(joined({{0, 4}, {1, 5}, {4, 2}, {5, 3}}), "g0:2 g2:2");  // two levels
  EXPECT_EQ(joined({{0, 4}, {4, 2}, {4, 3}}), "g0:1 g1:2");
}

TEST_F(JoinGroups, NeverWhatReadsOrWritesTheOthersMemory) {
  EXPECT_EQ(joined({{0, 4}, {4, 2}}), "g0:1 g1:1");  // reads what is written
  EXPECT_EQ(joined({{4, 2}, {0, 4}}), "g0:1 g1:1");  // writes what is read
  EXPECT_EQ(joined({{0, 2}, {1, 2}}), "g0:1 g1:1");  // writes what is written
  EXPECT_EQ(joined({{0, 2}, {1, 6}}), "g0:1 g1:1");  // in place: input 0 under another buffer
  EXPECT_EQ(joined({{1, 6}, {0, 2}}), "g0:1 g1:1");
  EXPECT_EQ(joined({{0, 4}, {4, 5}, {5, 2}}), "g0:1 g1:1 g2:1");  // through a third
  EXPECT_EQ(joined({{0, 4}, {4, 2}, {1, 4}}), "g0:1 g1:1 g2:1");  // it would write what the second reads
}

/// x + 1 of inputs with these extents.
GraphBuilder additions(const std::vector<std::vector<Expr>>& shapes) {
  GraphBuilder b;
  for (const auto& shape : shapes) b.g.add_output(b.with_number("add", b.input(f32, shape), 1));
  return b;
}

std::vector<size_t> nest_counts(const loop::Program& p) {
  std::vector<size_t> n;
  for (const loop::Group& g : p.groups) n.push_back(g.nests.size());
  return n;
}

TEST_F(JoinGroups, OnlySmallOnes) {
  const int64_t most = lower::small_group_bytes / 8;
  EXPECT_EQ(nest_counts(lowered(additions({{7}, {most}, {3, 5}}).g)), (std::vector<size_t>{3}));
  EXPECT_EQ(nest_counts(lowered(additions({{7}, {most + 1}, {3, 5}}).g)), (std::vector<size_t>{2, 1}));
  // Many that are small by themselves are not small together.
  const auto several = static_cast<size_t>(lower::max_joined_bytes / lower::small_group_bytes);
  EXPECT_EQ(nest_counts(lowered(additions(std::vector<std::vector<Expr>>(several + 1, {most})).g)),
            (std::vector<size_t>{several, 1}));
}

TEST_F(JoinGroups, SaysSo) {
  const loop::Program p = lowered(additions({{7}, {9}}).g);
  ASSERT_EQ(p.groups.size(), 1u);
  EXPECT_EQ(p.groups[0].notes.back(), "2 small groups that do not depend on each other share a launch");
  EXPECT_EQ(p.groups[0].nodes.size(), 2u);
  EXPECT_EQ(p.groups[0].comments.size(), 2u);
}

TEST_F(JoinGroups, NotWhereFusionIsVertical) {
  EXPECT_EQ(nest_counts(lowered(additions({{7}, {9}}).g, {.several_outputs = false})), (std::vector<size_t>{1, 1}));
  EXPECT_EQ(nest_counts(lowered(additions({{7}, {9}}).g, {.fuse = false})), (std::vector<size_t>{1, 1}));
}

TEST_F(JoinGroups, AKernelHasLimits) {
  const size_t most = lower::max_joined_nests;
  std::vector<std::vector<Expr>> shapes;
  for (size_t i = 0; i <= most; ++i) shapes.push_back({static_cast<int64_t>(i + 1)});
  EXPECT_EQ(nest_counts(lowered(additions(shapes).g)), (std::vector<size_t>{most, 1}));
}

TEST_F(JoinGroups, FoldsStayAlone) {
  GraphBuilder b;
  b.g.add_output(b.reduce("sum", b.input(f32, {5, 7}), {1}));
  b.g.add_output(b.with_number("add", b.input(f32, {9}), 1));
  b.g.add_output(b.with_number("add", b.input(f32, {11}), 1));
  EXPECT_EQ(nest_counts(lowered(b.g)).size(), 2u);
}

TEST_F(JoinGroups, ScansStayAlone) {
  GraphBuilder b;
  for (const int64_t n : {5, 7}) b.g.add_output(b.op("cumsum", {b.input(f32, {n, 3})}, CallAttributes().integer(0)));
  b.g.add_output(b.with_number("add", b.input(f32, {9}), 1));
  b.g.add_output(b.with_number("add", b.input(f32, {11}), 1));
  const loop::Program p = lowered(b.g);  // verifies that nests with scans are alone
  EXPECT_EQ(p.groups.size(), 3u);
}

TEST_F(JoinGroups, RunTimeSizesJoinWhereTheirRangesAreSmall) {
  const auto graph = [](int64_t most) {
    GraphBuilder b;
    b.g.set_symbol_count(1);
    b.g.ranges.set_symbol(0, 2, most);
    b.g.add_output(b.with_number("add", b.input(f32, {Expr::symbol(0), 3}), 1));
    b.g.add_output(b.with_number("mul", b.input(f32, {5}), 2));
    return b;
  };
  EXPECT_EQ(nest_counts(lowered(graph(INT64_MAX).g)), (std::vector<size_t>{1, 1}));
  const GraphBuilder b = graph(1000);
  const loop::Program p = lowered(b.g);
  EXPECT_EQ(nest_counts(p), (std::vector<size_t>{2}));
  for (const int64_t n : {2, 17, 1000}) {
    const std::vector<reference::Array> inputs{random_values(f32, {n, 3}, 1), random_values(f32, {5}, 2)};
    const int64_t symbols[] = {n};
    const auto expected = reference::interpret(b.g, inputs, symbols), got = run(p, b.g, inputs, symbols);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(first_difference(expected[i], got[i]), "") << n;
  }
}

/// A random order of copies among the buffers gives what it gave.
TEST_F(JoinGroups, NoValueDependsOnIt) {
  std::mt19937 random(7);
  int together = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<int, int>> from_to;
    std::vector<int> held(7, -1);  // what each buffer's memory holds: the number of its writer, or the input
    const auto memory = [](int b) { return b == 6 ? 0 : b; };
    for (int i = 0; i < 6; ++i)
      from_to.emplace_back(std::uniform_int_distribution(0, 6)(random), std::uniform_int_distribution(2, 6)(random));
    const auto effect = [&](const std::vector<size_t>& order) {
      std::vector<std::vector<int>> state(7);
      for (int b = 0; b < 7; ++b) state[static_cast<size_t>(b)] = {b};
      for (const size_t i : order) {
        std::vector<int> value = state[static_cast<size_t>(memory(from_to[i].first))];
        value.push_back(static_cast<int>(i));
        state[static_cast<size_t>(memory(from_to[i].second))] = value;
      }
      return state;
    };
    std::string text = "program p {\n  symbols 0\n";
    const char* roles[] = {"input 0", "input 1", "output 0", "output 1", "temporary 0", "temporary 1", "input 0"};
    for (int b = 0; b < 7; ++b) text += fmt::format("  buffer b{} {} : f32 [8] strides [1] offset [0]\n", b, roles[b]);
    loop::Program p = loop::parse(text + copies(from_to) + "}\n");
    lower::join_groups(p);
    std::vector<size_t> order, reversed;  // within a kernel any order must do
    for (const loop::Group& g : p.groups) {
      std::vector<size_t> of_group;
      for (const loop::Nest& n : g.nests)
        for (size_t i = 0; i < from_to.size(); ++i)
          if (n.body[0].id == from_to[i].first && n.stores[0].buffer == from_to[i].second &&
              std::ranges::find(order, i) == order.end() && std::ranges::find(of_group, i) == of_group.end()) {
            of_group.push_back(i);
            break;
          }
      together += of_group.size() > 1;
      order.insert(order.end(), of_group.begin(), of_group.end());
      reversed.insert(reversed.end(), of_group.rbegin(), of_group.rend());
    }
    ASSERT_EQ(order.size(), from_to.size());
    const auto expected = effect({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(effect(order), expected) << text << copies(from_to);
    EXPECT_EQ(effect(reversed), expected) << text << copies(from_to);
  }
  EXPECT_GT(together, 100);
}

// What is written to an input may be any other input's memory, where it says so.
TEST_F(JoinGroups, WritesToOverlappedInputsAreApartFromOtherReaders) {
  for (const bool overlapped : {false, true}) {
    loop::Program p = loop::parse(fmt::format(R"(program k {{
  buffer b0 input 0 written{} : f32 [100] strides [1] offset [0]
  buffer b1 input 1 : f32 [100] strides [1] offset [0]
  buffer b2 output 0 : f32 [100] strides [1] offset [0]
  group k_0 {{
    nest [a0 < 100] {{
      %0 = load b1[a0] : f32
      store b2[a0] = %0
    }}
  }}
  group k_1 {{
    nest [a0 < 100] {{
      %0 = constant 7 : f32
      store b0[a0] = %0
    }}
  }}
}}
)",
                                              overlapped ? " overlapped" : ""));
    const std::string text = loop::print(p);
    EXPECT_EQ(loop::print(loop::parse(text)), text);
    lower::join_groups(p);
    EXPECT_EQ(p.groups.size(), overlapped ? 2u : 1u);
  }
}

}  // namespace
}  // namespace sinter::test
