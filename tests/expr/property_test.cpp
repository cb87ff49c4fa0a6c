// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/expr/random_expr.h"

namespace sinter::graph {
namespace {

constexpr unsigned seeds = 40;
constexpr int exprs_a_seed = 250, environments = 25;

class Properties : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Properties, testing::Range(0u, seeds));

TEST_P(Properties, SimplifyKeepsTheValueAndIsIdempotent) {
  RandomExprs random(GetParam());
  for (int i = 0; i < exprs_a_seed; ++i) {
    const Expr e = random.expr(static_cast<int>(random.between(1, 5)));
    const Expr simple = simplify(e, random.ranges());
    for (int k = 0; k < environments; ++k) {
      const auto environment = random.environment();
      ASSERT_EQ(value_in(e, environment), value_in(simple, environment))
          << "seed " << GetParam() << ": " << e.text() << " -> " << simple.text();
    }
    ASSERT_EQ(simplify(simple, random.ranges()), simple)
        << "seed " << GetParam() << ": " << e.text() << " -> " << simple.text();
  }
}

TEST_P(Properties, RangesHoldTheValue) {
  RandomExprs random(GetParam() + 1000);
  for (int i = 0; i < exprs_a_seed; ++i) {
    const Expr e = random.expr(static_cast<int>(random.between(1, 5)));
    const auto [lo, hi] = random.ranges().of(e);
    const bool nonnegative = provably_nonnegative(e, random.ranges());
    const Expr bound = random.divisor();
    const bool within = provably_within(e, bound, random.ranges());
    for (int k = 0; k < environments; ++k) {
      const auto environment = random.environment();
      const int64_t v = value_in(e, environment);
      ASSERT_TRUE(lo <= v && v <= hi) << "seed " << GetParam() << ": " << e.text() << " in " << lo << " " << hi;
      ASSERT_TRUE(!nonnegative || v >= 0) << "seed " << GetParam() << ": " << e.text();
      ASSERT_TRUE(!within || (v >= 0 && v < value_in(bound, environment)))
          << "seed " << GetParam() << ": " << e.text() << " within " << bound.text();
    }
  }
}

TEST_P(Properties, ParseReadsTextBack) {
  RandomExprs random(GetParam() + 2000);
  for (int i = 0; i < exprs_a_seed; ++i) {
    const Expr e = random.expr(static_cast<int>(random.between(0, 5)));
    ASSERT_EQ(Expr::parse(e.text()), e) << "seed " << GetParam() << ": " << e.text();
  }
}

/// A sum has one form, however it was put together.
TEST_P(Properties, EqualSumsAreOnePointer) {
  RandomExprs random(GetParam() + 3000);
  for (int i = 0; i < exprs_a_seed; ++i) {
    std::vector<Expr> parts;
    for (int64_t n = random.between(2, 6); n > 0; --n) parts.push_back(random.expr(2));
    Expr forward = 0, backward = 0, nested = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      forward = forward + parts[k];
      backward = parts[parts.size() - 1 - k] + backward;
      nested = nested + (parts[k] - parts[(k + 1) % parts.size()]);
    }
    ASSERT_EQ(forward, backward) << "seed " << GetParam();
    ASSERT_EQ(nested, Expr(0)) << "seed " << GetParam();
    ASSERT_EQ(Expr(3) * forward - forward - forward, forward);
  }
}

TEST_P(Properties, SubstituteIsEvaluationUnderChangedLeaves) {
  RandomExprs random(GetParam() + 4000);
  for (int i = 0; i < exprs_a_seed; ++i) {
    const Expr e = random.expr(4);
    const auto environment = random.environment();
    const Expr literal = substitute(e, [&](Expr leaf) { return Expr(environment.at({leaf.kind(), leaf.id()})); });
    ASSERT_EQ(literal.constant(), value_in(e, environment)) << "seed " << GetParam() << ": " << e.text();
    ASSERT_EQ(substitute(e, [](Expr) { return std::nullopt; }), e);
  }
}

TEST_P(Properties, CompareIsATotalOrder) {
  RandomExprs random(GetParam() + 5000);
  std::vector<Expr> e;
  for (int i = 0; i < 30; ++i) e.push_back(random.expr(3));
  for (Expr a : e)
    for (Expr b : e) {
      ASSERT_EQ(Expr::compare(a, b) == 0, a == b);
      ASSERT_EQ(Expr::compare(a, b) < 0, Expr::compare(b, a) > 0);
      for (Expr c : e) ASSERT_FALSE(Expr::compare(a, b) < 0 && Expr::compare(b, c) < 0 && Expr::compare(a, c) >= 0);
    }
}

/// Shapes whose extents are literals and symbols; an index is flattened and taken apart again for a second shape of the
/// same number of elements. What comes back by the first shape must be the index itself.
TEST_P(Properties, ReshapesThereAndBackAreTheIdentity) {
  RandomExprs random(GetParam() + 6000);
  for (int i = 0; i < 100; ++i) {
    Ranges ranges = random.ranges();
    std::vector<Expr> factors;
    for (int64_t n = random.between(1, 4); n > 0; --n)
      factors.push_back(random.between(0, 1) == 0 ? Expr(random.between(2, 7))
                                                  : Expr::symbol(static_cast<int>(random.between(0, 2))));
    // Two ways of multiplying neighbouring factors together.
    const auto merged = [&] {
      std::vector<Expr> shape{factors[0]};
      for (size_t k = 1; k < factors.size(); ++k)
        if (random.between(0, 1) == 0)
          shape.push_back(factors[k]);
        else
          shape.back() = shape.back() * factors[k];
      return shape;
    };
    const auto from = merged(), to = merged();
    std::vector<Expr> index;
    for (size_t d = 0; d < from.size(); ++d) {
      ranges.set_axis_extent(static_cast<int>(10 + d), from[d]);
      index.push_back(Expr::axis(static_cast<int>(10 + d)));
    }
    const auto reshaped = [&](const std::vector<Expr>& at, const std::vector<Expr>& shape,
                              const std::vector<Expr>& other) {
      Expr linear = 0;
      for (size_t d = 0; d < shape.size(); ++d) linear = linear * shape[d] + at[d];
      std::vector<Expr> result(other.size());
      for (size_t d = other.size(); d-- > 0;) {
        result[d] = simplify(d == 0 ? linear : mod(linear, other[d]), ranges);
        linear = floordiv(linear, other[d]);
      }
      return result;
    };
    const auto there = reshaped(index, from, to);
    const auto back = reshaped(there, to, from);
    for (size_t d = 0; d < from.size(); ++d)
      ASSERT_EQ(back[d], index[d]) << "seed " << GetParam() << ": dim " << d << " came back as " << back[d].text();
  }
}

}  // namespace
}  // namespace sinter::graph
