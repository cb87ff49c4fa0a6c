// SPDX-License-Identifier: Apache-2.0
#include "src/graph/expr_bounds.h"

#include <algorithm>

#include "src/graph/expr_divide.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

/// Bounds of an expression as expressions in which axes with extents are replaced by 0 or extent - 1. Several, where
/// several hold and none is best (min(x, n - 1) is below both); a handful is enough.
class SymbolicBounds {
 public:
  using List = std::vector<Expr>;
  explicit SymbolicBounds(RangeFinder& ranges) : ranges_(ranges) {}

  List of(Expr e, bool upper) {
    switch (e.kind()) {
      case Kind::constant:
      case Kind::symbol:
      case Kind::value:
        return {e};
      case Kind::axis:
        return of_axis(e, upper);
      case Kind::sum:
        return of_sum(e, upper);
      case Kind::product:
        return {of_product(e, upper)};
      case Kind::floordiv:
        return of_quotient(e, upper);
      case Kind::mod:
        return of_remainder(e, upper);
      case Kind::min:
      case Kind::max:
        return of_choice(e, upper);
      case Kind::doubled:
        return {e};
    }
    return {e};
  }

 private:
  static constexpr size_t limit = 4;

  List of_axis(Expr e, bool upper) const {
    const auto extent = ranges_.ranges().axis_extent(e.id());
    if (!extent) return {e};
    return {upper ? *extent - 1 : Expr(0)};
  }

  List of_sum(Expr e, bool upper) {
    List sums{Expr(e.offset())};
    for (const auto& [c, t] : e.terms()) {
      List longer;
      for (Expr bound : of(t, upper == (c > 0)))
        for (Expr s : sums)
          if (longer.size() < limit) longer.push_back(s + Expr(c) * bound);
      sums = std::move(longer);
    }
    return sums;
  }

  /// The product of the factors' bounds, where none can be negative.
  Expr of_product(Expr e, bool upper) {
    Expr p = 1;
    for (Expr factor : e.operands()) {
      const Expr bound = of(factor, upper)[0];
      if (ranges_.of(factor).first < 0 || ranges_.of(bound).first < 0) return e;
      p = p * bound;
    }
    return p;
  }

  List of_quotient(Expr e, bool upper) {
    const Expr n = e.operands()[1];
    if (ranges_.of(n).first <= 0) return {e};
    List quotients;
    for (Expr x : of(e.operands()[0], upper)) {  // (m*n + r) / n = m + r / n, without asking for proofs in turn
      const auto [multiple, rest] = divide(x, n);
      quotients.push_back(multiple + floordiv(rest, n));
    }
    return quotients;
  }

  List of_remainder(Expr e, bool upper) {
    const Expr x = e.operands()[0], n = e.operands()[1];
    if (ranges_.of(n).first <= 0) return {e};
    if (!upper) return {0};
    List bounds{n - 1};
    if (ranges_.of(x).first >= 0)
      for (Expr b : of(x, true)) bounds.push_back(b);
    return bounds;
  }

  List of_choice(Expr e, bool upper) {
    List a = of(e.operands()[0], upper), b = of(e.operands()[1], upper);
    if (upper == (e.kind() == Kind::min)) {  // either side bounds
      a.insert(a.end(), b.begin(), b.end());
      return a;
    }
    List both;
    for (Expr x : a)
      for (Expr y : b)
        if (both.size() < limit) both.push_back(chosen(x, y, e.kind() == Kind::min));
    return both;
  }

  Expr chosen(Expr x, Expr y, bool is_min) {
    if (ranges_.of(y - x).first >= 0) return is_min ? x : y;
    if (ranges_.of(x - y).first >= 0) return is_min ? y : x;
    return is_min ? min(x, y) : max(x, y);
  }

  RangeFinder& ranges_;
};

/// The lower end of a polynomial's range with every leaf x >= lo written as lo + (x - lo): s0*s1 - s1 with s0, s1 >= 2
/// is 2 + t1 + 2*t0 + t0*t1, where plain intervals know nothing.
int64_t shifted_low(Expr e, const Ranges& ranges) {
  Ranges shifted;
  const Expr moved = substitute(e, [&](Expr leaf) -> std::optional<Expr> {
    const auto [lo, hi] = ranges.of(leaf);
    if (lo == lowest) return std::nullopt;
    const int64_t span = hi == highest ? highest : hi - lo;
    if (leaf.kind() == Kind::symbol) shifted.set_symbol(leaf.id(), 0, span);
    if (leaf.kind() == Kind::axis) shifted.set_axis(leaf.id(), 0, span);
    if (leaf.kind() == Kind::value) shifted.set_value(leaf.id(), 0, span);
    return leaf + Expr(lo);
  });
  return shifted.of(moved).first;
}

bool has_product(Expr e) {
  for (const auto& [c, t] : e.terms())
    if (t.kind() == Kind::product) return true;
  return false;
}

}  // namespace

bool Prover::nonnegative(Expr e) {
  if (const auto c = e.constant()) return *c >= 0;
  if (ranges_.of(e).first >= 0) return true;
  for (Expr bound : SymbolicBounds(ranges_).of(e, false)) {
    if (ranges_.of(bound).first >= 0) return true;
    if (has_product(bound) && shifted_low(bound, ranges_.ranges()) >= 0) return true;
  }
  return false;
}

bool provably_nonnegative(Expr e, const Ranges& ranges) {
  RangeFinder finder(ranges);
  return Prover(finder).nonnegative(e);
}

bool provably_within(Expr e, Expr bound, const Ranges& ranges) {
  RangeFinder finder(ranges);
  return Prover(finder).within(e, bound);
}

}  // namespace sinter::graph
