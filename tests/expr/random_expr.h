// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <random>

#include "src/graph/expr.h"

namespace sinter::graph {

/// Random expressions over symbols s0..s2 (divisors too), axes a0..a3 (a2 and a3 with symbolic extents) and a value v0,
/// with the ranges that environments are drawn from.
class RandomExprs {
 public:
  explicit RandomExprs(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) ranges_.set_symbol(i, 2, 9);
    ranges_.set_axis(0, 0, 11);
    ranges_.set_axis_extent(1, 6);
    ranges_.set_axis_extent(2, Expr::symbol(0));
    ranges_.set_axis_extent(3, Expr::symbol(1) * Expr::symbol(2));
    ranges_.set_value(0, -5, 7);
  }
  const Ranges& ranges() const { return ranges_; }
  int64_t between(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(random_); }

  Expr expr(int depth) {
    if (depth == 0) return leaf();
    switch (between(0, 9)) {
      case 0:
      case 1:
        return expr(depth - 1) + expr(depth - 1);
      case 2:
        return expr(depth - 1) - expr(depth - 1);
      case 3:
        return Expr(between(-4, 4)) * expr(depth - 1);
      case 4:
        return expr(depth - 1) * leaf();
      case 5:
      case 6:
        return floordiv(expr(depth - 1), divisor());
      case 7:
        return mod(expr(depth - 1), divisor());
      case 8:
        return min(expr(depth - 1), expr(depth - 1));
      default:
        return max(expr(depth - 1), expr(depth - 1));
    }
  }

  /// Positive under the ranges.
  Expr divisor() {
    switch (between(0, 4)) {
      case 0:
      case 1:
        return between(1, 12);
      case 2:
        return Expr::symbol(static_cast<int>(between(0, 2)));
      case 3:
        return Expr(between(1, 4)) * Expr::symbol(static_cast<int>(between(0, 2))) + Expr(between(0, 2));
      default:
        return Expr::symbol(static_cast<int>(between(0, 2))) * Expr::symbol(static_cast<int>(between(0, 2)));
    }
  }

  using Environment = std::map<std::pair<Expr::Kind, int>, int64_t>;
  Environment environment() {
    Environment e;
    for (int i = 0; i < 3; ++i) e[{Expr::Kind::symbol, i}] = between(2, 9);
    e[{Expr::Kind::axis, 0}] = between(0, 11);
    e[{Expr::Kind::axis, 1}] = between(0, 5);
    e[{Expr::Kind::axis, 2}] = between(0, e[{Expr::Kind::symbol, 0}] - 1);
    e[{Expr::Kind::axis, 3}] = between(0, e[{Expr::Kind::symbol, 1}] * e[{Expr::Kind::symbol, 2}] - 1);
    e[{Expr::Kind::value, 0}] = between(-5, 7);
    return e;
  }

 private:
  Expr leaf() {
    switch (between(0, 4)) {
      case 0:
        return between(-6, 6);
      case 1:
        return Expr::symbol(static_cast<int>(between(0, 2)));
      case 2:
        return Expr::value(0);
      default:
        return Expr::axis(static_cast<int>(between(0, 3)));
    }
  }

  std::mt19937 random_;
  Ranges ranges_;
};

inline int64_t value_in(Expr e, const RandomExprs::Environment& environment) {
  return evaluate(e, [&](Expr leaf) { return environment.at({leaf.kind(), leaf.id()}); });
}

}  // namespace sinter::graph
