// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "src/graph/expr.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;
using Range = std::pair<int64_t, int64_t>;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

int64_t clamped(__int128 v) {
  return v < lowest ? lowest : v > highest ? highest : static_cast<int64_t>(v);
}

bool unbounded(const Range& r) { return r.first == lowest || r.second == highest; }

Range times(const Range& a, const Range& b) {
  if (a.first >= 0 && b.first >= 0)
    return {clamped(static_cast<__int128>(a.first) * b.first),
            a.second == highest || b.second == highest ? highest : clamped(static_cast<__int128>(a.second) * b.second)};
  if (unbounded(a) || unbounded(b)) return {lowest, highest};
  const __int128 p[] = {static_cast<__int128>(a.first) * b.first, static_cast<__int128>(a.first) * b.second,
                        static_cast<__int128>(a.second) * b.first, static_cast<__int128>(a.second) * b.second};
  return {clamped(*std::ranges::min_element(p)), clamped(*std::ranges::max_element(p))};
}

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

void put(std::vector<std::pair<Expr, Range>>& known, Expr leaf, Range r) {
  for (auto& [e, old] : known)
    if (e == leaf) {
      old = r;
      return;
    }
  known.emplace_back(leaf, r);
}

}  // namespace

void Ranges::set_symbol(int id, int64_t lo, int64_t hi) { put(known_, Expr::symbol(id), {lo, hi}); }
void Ranges::set_axis(int id, int64_t lo, int64_t hi) { put(known_, Expr::axis(id), {lo, hi}); }
void Ranges::set_value(int id, int64_t lo, int64_t hi) { put(known_, Expr::value(id), {lo, hi}); }

void Ranges::set_axis_extent(int id, Expr extent) {
  for (auto& [axis, e] : extents_)
    if (axis == id) {
      e = extent;
      return;
    }
  extents_.emplace_back(id, extent);
}

std::optional<Expr> Ranges::axis_extent(int id) const {
  for (const auto& [axis, e] : extents_)
    if (axis == id) return e;
  return std::nullopt;
}

Range Ranges::leaf(Expr e) const {
  for (const auto& [known, r] : known_)
    if (known == e) return r;
  if (e.kind() != Kind::axis) return {lowest, highest};
  if (const auto extent = axis_extent(e.id())) {
    const int64_t hi = of(*extent).second;
    return {0, hi == highest ? hi : std::max<int64_t>(hi - 1, 0)};
  }
  return {0, highest};
}

Range Ranges::of(Expr e) const {
  if (const auto c = e.constant()) return {*c, *c};
  switch (e.kind()) {
    case Kind::symbol:
    case Kind::axis:
    case Kind::value: return leaf(e);
    case Kind::sum: {
      __int128 lo = e.offset(), hi = e.offset();
      bool no_lo = false, no_hi = false;
      for (const auto& [c, t] : e.terms()) {
        const Range r = of(t);
        const int64_t at_lo = c > 0 ? r.first : r.second, at_hi = c > 0 ? r.second : r.first;
        no_lo = no_lo || at_lo == lowest || at_lo == highest;
        no_hi = no_hi || at_hi == lowest || at_hi == highest;
        lo += static_cast<__int128>(c) * at_lo;
        hi += static_cast<__int128>(c) * at_hi;
      }
      return {no_lo ? lowest : clamped(lo), no_hi ? highest : clamped(hi)};
    }
    case Kind::product: {
      Range r{1, 1};
      for (Expr o : e.operands()) r = times(r, of(o));
      return r;
    }
    default: break;
  }
  const Range a = of(e.operands()[0]), b = of(e.operands()[1]);
  switch (e.kind()) {
    case Kind::min: return {std::min(a.first, b.first), std::min(a.second, b.second)};
    case Kind::max: return {std::max(a.first, b.first), std::max(a.second, b.second)};
    case Kind::mod:
      if (b.first <= 0) return {lowest, highest};
      if (a.first >= 0 && a.second < b.first) return a;
      return {0, b.second == highest ? (a.first >= 0 ? a.second : highest) : b.second - 1};
    default:
      if (b.first <= 0) return {lowest, highest};
      if (a.first >= 0)
        return {b.second == highest ? 0 : a.first / b.second, a.second == highest ? highest : a.second / b.first};
      return {a.first == lowest ? lowest : floor_divide(a.first, b.first),
              a.second == highest ? highest : std::max(floor_divide(a.second, b.first), floor_divide(a.second, std::min(b.second, highest)))};
  }
}

bool provably_within(Expr e, Expr bound, const Ranges& ranges) {
  if (ranges.of(e).first < 0) return false;
  if (const auto b = bound.constant()) return ranges.of(e).second < *b;
  if (ranges.of(e).second < ranges.of(bound).first) return true;
  // Structurally: raise every axis to its largest value, extent - 1, where its coefficient cannot be negative.
  bool monotone = true;
  const Expr top = substitute(e, [&](Expr leaf) -> std::optional<Expr> {
    if (leaf.kind() != Kind::axis) return std::nullopt;
    const auto extent = ranges.axis_extent(leaf.id());
    return extent ? std::optional(*extent - 1) : std::nullopt;
  });
  for (const auto& [c, t] : e.terms()) monotone = monotone && c >= 0 && (t.kind() == Kind::axis || t.kind() == Kind::product || t.kind() == Kind::symbol);
  return monotone && ranges.of(bound - top).first >= 1;
}

namespace {

/// Splits e into multiple * n + rest; terms whose coefficient (or factor) n divides go to the multiple.
std::pair<Expr, Expr> split_by(Expr e, Expr n) {
  Expr multiple = 0, rest = 0;
  if (const auto c = n.constant()) {
    for (const auto& [k, t] : e.terms()) {
      // Only whole multiples move: k = q * c + r would change signs of the rest.
      if (k % *c == 0)
        multiple = multiple + Expr(k / *c) * t;
      else
        rest = rest + Expr(k) * t;
    }
    multiple = multiple + Expr(floor_divide(e.offset(), *c));
    rest = rest + Expr(e.offset() - *c * floor_divide(e.offset(), *c));
    return {multiple, rest};
  }
  for (const auto& [k, t] : e.terms()) {
    std::vector<Expr> factors(t.operands().begin(), t.operands().end());
    const auto at = std::ranges::find(factors, n);
    if (t == n)
      multiple = multiple + Expr(k);
    else if (t.kind() == Kind::product && at != factors.end()) {
      factors.erase(at);
      multiple = multiple + Expr(k) * product(factors);
    } else {
      rest = rest + Expr(k) * t;
    }
  }
  return {multiple, rest + Expr(e.offset())};
}

/// n as a product n = a * b with b the divisor of an inner floordiv or mod: for merging nested divisions.
Expr simplify_division(Expr e, const Ranges& ranges) {
  const bool is_mod = e.kind() == Kind::mod;
  const Expr a = e.operands()[0], n = e.operands()[1];
  if (ranges.of(n).first <= 0) return e;
  auto [multiple, rest] = split_by(a, n);
  if (provably_within(rest, n, ranges)) return is_mod ? rest : multiple;
  if (!multiple.is_constant(0)) {
    const Expr reduced = is_mod ? mod(rest, n) : multiple + floordiv(rest, n);
    return reduced;
  }
  const auto c = n.constant();
  if (!is_mod && c && a.kind() == Kind::floordiv) {  // (x // p) // q = x // (p * q)
    if (const auto p = a.operands()[1].constant(); p && *p > 0) return floordiv(a.operands()[0], Expr(*p * *c));
  }
  if (is_mod && c && a.kind() == Kind::mod) {  // (x mod (k * n)) mod n = x mod n
    if (const auto p = a.operands()[1].constant(); p && *p % *c == 0) return mod(a.operands()[0], n);
  }
  if (!is_mod && c && *c > 1) {  // (g * y + r) // (g * q) = y // q where 0 <= r < g
    for (const auto& [g, t] : rest.terms()) {
      if (g <= 1 || *c % g != 0) continue;
      Expr high = 0, low = rest.offset() % g;
      if (rest.offset() < 0) continue;
      high = high + Expr(rest.offset() / g);
      for (const auto& [k, u] : rest.terms())
        if (k % g == 0)
          high = high + Expr(k / g) * u;
        else
          low = low + Expr(k) * u;
      if (provably_within(low, Expr(g), ranges)) return multiple + floordiv(high, Expr(*c / g));
    }
  }
  return e;
}

}  // namespace

Expr simplify(Expr e, const Ranges& ranges) {
  switch (e.kind()) {
    case Kind::constant:
    case Kind::symbol:
    case Kind::axis:
    case Kind::value: return e;
    case Kind::sum: {
      Expr s = e.offset();
      for (const auto& [c, t] : e.terms()) s = s + Expr(c) * simplify(t, ranges);
      // q * n + x mod n with q = x // n is x again.
      for (const auto& [c, t] : s.terms()) {
        if (t.kind() != Kind::mod) continue;
        const Expr quotient = floordiv(t.operands()[0], t.operands()[1]) * t.operands()[1];
        for (const auto& [d, u] : s.terms())
          if (quotient.terms().size() == 1 && quotient.offset() == 0 && u == quotient.terms()[0].second &&
              d == c * quotient.terms()[0].first)
            return simplify(s - Expr(c) * t - Expr(d) * u + Expr(c) * t.operands()[0], ranges);
      }
      return s;
    }
    case Kind::product: {
      Expr p = 1;
      for (Expr o : e.operands()) p = p * simplify(o, ranges);
      return p;
    }
    default: break;
  }
  const Expr a = simplify(e.operands()[0], ranges), b = simplify(e.operands()[1], ranges);
  if (e.kind() == Kind::min || e.kind() == Kind::max) {
    const bool a_low = ranges.of(a - b).second <= 0, b_low = ranges.of(b - a).second <= 0;
    if (a_low) return e.kind() == Kind::min ? a : b;
    if (b_low) return e.kind() == Kind::min ? b : a;
    return e.kind() == Kind::min ? min(a, b) : max(a, b);
  }
  const Expr division = e.kind() == Kind::mod ? mod(a, b) : floordiv(a, b);
  if (division.kind() != Kind::mod && division.kind() != Kind::floordiv) return division;
  const Expr simpler = simplify_division(division, ranges);
  return simpler == division ? division : simplify(simpler, ranges);
}

}  // namespace sinter::graph
