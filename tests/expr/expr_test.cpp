// SPDX-License-Identifier: Apache-2.0
#include "src/graph/expr.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <limits>
#include <thread>

namespace sinter::graph {
namespace {

const Expr s0 = Expr::symbol(0), s1 = Expr::symbol(1), s2 = Expr::symbol(2);
const Expr a0 = Expr::axis(0), a1 = Expr::axis(1), a2 = Expr::axis(2), v0 = Expr::value(0);

TEST(Expr, LiteralsFold) {
  EXPECT_EQ((Expr(2) + Expr(3) * Expr(4)).constant(), 14);
  EXPECT_EQ(Expr(), Expr(0));
  EXPECT_EQ(floordiv(Expr(-7), 2).constant(), -4);
  EXPECT_EQ(mod(Expr(-7), 2).constant(), 1);
  EXPECT_EQ(mod(Expr(7), -2).constant(), -1);
  EXPECT_EQ(ceildiv(Expr(7), 2).constant(), 4);
  EXPECT_EQ(min(Expr(3), 5).constant(), 3);
  EXPECT_EQ(max(Expr(3), 5).constant(), 5);
}

TEST(Expr, SumsAreFlatSortedAndCollected) {
  EXPECT_EQ(a0 + s0, s0 + a0);
  EXPECT_EQ((a0 + 1) + (a1 + 2), a1 + (a0 + 3));
  EXPECT_EQ(a0 + a0, Expr(2) * a0);
  EXPECT_EQ(a0 - a0, Expr(0));
  EXPECT_EQ(Expr(3) * (a0 + s0 * Expr(2)) - Expr(6) * s0, Expr(3) * a0);
  EXPECT_EQ((a0 + 5).offset(), 5);
  EXPECT_EQ((Expr(4) * a0 + 5).terms(), (std::vector<std::pair<int64_t, Expr>>{{4, a0}}));
  EXPECT_EQ(a0.terms(), (std::vector<std::pair<int64_t, Expr>>{{1, a0}}));
  EXPECT_TRUE(Expr(5).terms().empty());
}

TEST(Expr, ProductsCommuteAndDistribute) {
  EXPECT_EQ(s0 * a0, a0 * s0);
  EXPECT_EQ((s0 * s1) * a0, a0 * (s1 * s0));
  EXPECT_EQ((s0 + 2) * (a0 + 3), s0 * a0 + Expr(3) * s0 + Expr(2) * a0 + 6);
  EXPECT_EQ(s0 * Expr(0), Expr(0));
  const Expr factors[] = {s0, 3, s1};
  EXPECT_EQ(product(factors), Expr(3) * s0 * s1);
}

TEST(Expr, MinAndMaxCommute) {
  EXPECT_EQ(min(a0, s0), min(s0, a0));
  EXPECT_EQ(max(a0, a0), a0);
}

TEST(Expr, DoublesUntilItIsNotBelow) {
  EXPECT_EQ(doubled(33, 8), Expr(64));
  EXPECT_EQ(doubled(64, 8), Expr(64));
  EXPECT_EQ(doubled(-5, 3), Expr(3));
  const Expr s = Expr::symbol(0), e = doubled(s, 8) + 1;
  EXPECT_EQ(Expr::parse(e.text()), e) << e.text();
  for (const int64_t n : {1, 8, 9, 16, 1000}) {
    int64_t expected = 8;
    while (expected < n) expected *= 2;
    EXPECT_EQ(evaluate(e, [&](Expr) { return n; }), expected + 1);
    EXPECT_EQ(substitute(e, [&](Expr) { return std::optional<Expr>(n); }), Expr(expected + 1));
  }
  Ranges ranges;
  ranges.set_symbol(0, 2, 100);
  EXPECT_EQ(ranges.of(doubled(s, 8)), (std::pair<int64_t, int64_t>(8, 200)));
  EXPECT_EQ(simplify(doubled(s, 128), ranges), Expr(128));
}

TEST(Expr, DivisionsThatNeedNoRanges) {
  EXPECT_EQ(floordiv(a0, 1), a0);
  EXPECT_EQ(floordiv(a0, -1), Expr(0) - a0);
  EXPECT_EQ(mod(a0, 1), Expr(0));
  EXPECT_EQ(floordiv(s0, s0), Expr(1));
  EXPECT_EQ(mod(s0, s0), Expr(0));
}

TEST(Expr, ExtremeCoefficientsWrapWithoutFaults) {
  const int64_t low = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(floordiv(Expr(low), -1).constant(), low);
  EXPECT_EQ(mod(Expr(low), -1).constant(), 0);
  EXPECT_EQ((Expr(low) * a0 + Expr(low) * a0), Expr(0));
  EXPECT_EQ(Expr::parse((Expr(low) * a0 + low).text()), Expr(low) * a0 + low);
  EXPECT_EQ(Expr::parse(Expr(low).text()), Expr(low));
  EXPECT_THROW(evaluate(floordiv(a0, s0), [](Expr) { return 0; }), CompileError);
}

TEST(Expr, TextIsForPeople) {
  EXPECT_EQ((Expr(16) * s0 + floordiv(a1, 3) - 1).text(), "16*s0 + (a1 / 3) - 1");
  EXPECT_EQ((s0 * s1 - Expr(2) * a0).text(), "-2*a0 + s0*s1");
  EXPECT_EQ(min(a0, s0 - 1).text(), "min(a0, s0 - 1)");
  EXPECT_EQ(mod(v0 + 1, s0).text(), "(v0 + 1) % s0");
}

TEST(Expr, ParseNamesTheColumn) {
  for (const char* wrong : {"", "s", "a0 +", "(a0", "min(a0)", "a0 b", "99999999999999999999", "s99999999999", "*3"}) {
    EXPECT_THROW(Expr::parse(wrong), CompileError) << wrong;
  }
  try {
    Expr::parse("a0 + ?");
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find("column 6"), std::string::npos) << e.what();
  }
}

Ranges extents() {
  Ranges r;
  for (int i = 0; i < 3; ++i) r.set_symbol(i, 2, int64_t{1} << 40);
  r.set_axis_extent(0, s0);
  r.set_axis_extent(1, s1);
  r.set_axis_extent(2, 12);
  return r;
}

TEST(Simplify, RowMajorIndexComesApart) {
  const Ranges r = extents();
  EXPECT_EQ(simplify(floordiv(a0 * s1 + a1, s1), r), a0);
  EXPECT_EQ(simplify(mod(a0 * s1 + a1, s1), r), a1);
  EXPECT_EQ(simplify(floordiv(a0 * Expr(12) + a2, 12), r), a0);
  EXPECT_EQ(simplify(mod(a0 * Expr(12) + a2, 12), r), a2);
  EXPECT_EQ(simplify(floordiv((a0 * s1 + a1) * Expr(12) + a2, s1 * Expr(12)), r), a0);
  EXPECT_EQ(simplify(mod((a0 * s1 + a1) * Expr(12) + a2, s1 * Expr(12)), r), Expr(12) * a1 + a2);
}

TEST(Simplify, DivisorsThatAreSums) {
  Ranges r = extents();
  r.set_axis_extent(3, s1 + 2);  // a padded row
  const Expr a3 = Expr::axis(3), row = s1 + 2;
  EXPECT_EQ(simplify(floordiv(a0 * row + a3, row), r), a0);
  EXPECT_EQ(simplify(mod(a0 * row + a3, row), r), a3);
}

TEST(Simplify, Nested) {
  const Ranges r = extents();
  EXPECT_EQ(simplify(floordiv(floordiv(a0, 3), 4), r), floordiv(a0, 12));
  EXPECT_EQ(simplify(floordiv(floordiv(a0, s1), s2), r), floordiv(a0, s1 * s2));
  EXPECT_EQ(simplify(mod(mod(a0, 12), 4), r), mod(a0, 4));
  EXPECT_EQ(simplify(mod(mod(a0, s1 * s2), s2), r), mod(a0, s2));
  EXPECT_EQ(simplify(floordiv(mod(a0, 12), 4), r), mod(floordiv(a0, 4), 3));
  EXPECT_EQ(simplify(mod(Expr(5) * a0 + mod(a1, 8) + 9, 4), r), mod(a0 + a1 + 1, 4));
}

TEST(Simplify, CommonFactors) {
  const Ranges r = extents();
  EXPECT_EQ(simplify(floordiv(Expr(4) * a0 + mod(a1, 4), 16), r), floordiv(a0, 4));
  EXPECT_EQ(simplify(mod(Expr(4) * a0 + mod(a1, 4), 16), r), Expr(4) * mod(a0, 4) + mod(a1, 4));
  EXPECT_EQ(simplify(floordiv(a0 * s1 + a1, s1 * s2), r), floordiv(a0, s2));
  EXPECT_EQ(simplify(floordiv(Expr(4) * s0, 4 * s1), r), floordiv(s0, s1));
}

TEST(Simplify, RecombinesQuotientAndRemainder) {
  const Ranges r = extents();
  EXPECT_EQ(simplify(Expr(3) * floordiv(a0, 3) + mod(a0, 3), r), a0);
  EXPECT_EQ(simplify(s2 * floordiv(a0, s2) + mod(a0, s2) + 7, r), a0 + 7);
  EXPECT_EQ(simplify(Expr(6) * floordiv(a0, 6) + Expr(3) * mod(floordiv(a0, 3), 2) + mod(a0, 3), r), a0);
  EXPECT_EQ(simplify(Expr(3) * mod(floordiv(a0, 3), 2) + mod(a0, 3), r), mod(a0, 6));
}

TEST(Simplify, MinAndMaxByExtents) {
  const Ranges r = extents();
  EXPECT_EQ(simplify(min(a0, s0 - 1), r), a0);
  EXPECT_EQ(simplify(max(a0, 0), r), a0);
  EXPECT_EQ(simplify(max(min(a0 + 1, s0 - 1), 0), r), min(a0 + 1, s0 - 1));
  EXPECT_EQ(simplify(max(s0 - 1 - a0, 0), r), s0 - 1 - a0);
}

TEST(Simplify, UnknownSignsAreLeftAlone) {
  const Ranges r;  // s0 may be 0 or negative
  EXPECT_EQ(simplify(floordiv(a0 * s0 + a0, s0), r), floordiv(a0 * s0 + a0, s0));
  EXPECT_EQ(simplify(mod(v0, 4), r), mod(v0, 4));
}

TEST(Within, SymbolicExtents) {
  const Ranges r = extents();
  EXPECT_TRUE(provably_within(a0 * s1 + a1, s0 * s1, r));
  EXPECT_FALSE(provably_within(a0 * s1 + a1 + 1, s0 * s1, r));
  EXPECT_TRUE(provably_within(a1, s0 * s1, r));
  EXPECT_TRUE(provably_within(s0 - 1 - a0, s0, r));  // reversed
  EXPECT_FALSE(provably_within(s0 - a0, s0, r));
  EXPECT_TRUE(provably_within(min(v0, s0 - 1) - min(v0, s0 - 1) + a0, s0, r));
  EXPECT_TRUE(provably_within(max(min(v0, s0 - 1), 0), s0, r));
  EXPECT_FALSE(provably_within(min(v0, s0 - 1), s0, r));
  EXPECT_TRUE(provably_within(mod(v0, s2), s2, r));
  EXPECT_TRUE(provably_within(floordiv(a0 * Expr(12) + a2, 12), s0, r));
  EXPECT_TRUE(provably_within(floordiv(a0, 4), ceildiv(s0, 4), r));
}

TEST(Ranges, UnknownEndsStayUnknown) {
  Ranges r;
  r.set_symbol(0, 2, std::numeric_limits<int64_t>::max());
  const int64_t highest = std::numeric_limits<int64_t>::max(), lowest = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(r.of(s0 * s0), (std::pair<int64_t, int64_t>{4, highest}));
  EXPECT_EQ(r.of(Expr(0) - s0), (std::pair<int64_t, int64_t>{lowest, -2}));
  EXPECT_EQ(r.of(s0 - s0 * Expr(2)), (std::pair<int64_t, int64_t>{lowest, -2}));
  EXPECT_EQ(r.of(s1), (std::pair<int64_t, int64_t>{lowest, highest}));
  EXPECT_EQ(r.of(a0), (std::pair<int64_t, int64_t>{0, highest}));
  EXPECT_EQ(r.of(mod(s1, 8)), (std::pair<int64_t, int64_t>{0, 7}));
}

/// Index expressions of a chain of reshapes name the same index many times at every level; walks must stay linear.
TEST(Walks, AreLinearInSharedExpressions) {
  Ranges r;
  Expr e = v0;
  for (int i = 0; i < 200; ++i) e = floordiv(e, s0) + mod(e, s1);
  EXPECT_EQ(simplify(e, r), e);
  EXPECT_EQ(evaluate(e, [](Expr leaf) { return leaf == v0 ? 1000 : 10; }), 1);
  EXPECT_NE(substitute(e, [](Expr leaf) { return leaf == v0 ? std::optional(v0 + 1) : std::nullopt; }), e);
  int leaves = 0;
  visit_leaves(e, [&](Expr) { ++leaves; });
  EXPECT_EQ(leaves, 3);
  EXPECT_FALSE(depends_on_axis(e, 0));
}

TEST(Threads, BuildTheSamePointers) {
  constexpr int count = 4;
  std::vector<std::vector<Expr>> built(count);
  std::vector<std::thread> threads;
  for (auto& list : built)
    threads.emplace_back([&list] {
      for (int i = 0; i < 2000; ++i)
        list.push_back(floordiv(Expr::symbol(500 + i) * Expr(i + 100) + Expr::axis(i % 7), Expr(i + 1000)));
    });
  for (std::thread& t : threads) t.join();
  for (int i = 1; i < count; ++i) EXPECT_EQ(built[static_cast<size_t>(i)], built[0]);
}

}  // namespace
}  // namespace sinter::graph
