// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "src/graph/integer_math.h"
#include "src/graph/range_finder.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;
using Wide = __int128;

/// Ends that do not fit, like those that are unknown, are unknown.
Range narrowed(Wide lo, Wide hi) {
  return {lo <= lowest    ? lowest
          : lo >= highest ? highest
                          : static_cast<int64_t>(lo),
          hi <= lowest    ? lowest
          : hi >= highest ? highest
                          : static_cast<int64_t>(hi)};
}

bool known(int64_t end) { return end != lowest && end != highest; }

Range scaled(const Range& r, int64_t c) {
  const int64_t at_lo = c > 0 ? r.first : r.second, at_hi = c > 0 ? r.second : r.first;
  const Range n = narrowed(static_cast<Wide>(c) * at_lo, static_cast<Wide>(c) * at_hi);
  return {known(at_lo) ? n.first : lowest, known(at_hi) ? n.second : highest};
}

Range sum(const Range& a, const Range& b) {
  const Range n = narrowed(static_cast<Wide>(a.first) + b.first, static_cast<Wide>(a.second) + b.second);
  return {known(a.first) && known(b.first) ? n.first : lowest, known(a.second) && known(b.second) ? n.second : highest};
}

Range product(const Range& a, const Range& b) {
  const bool bounded = known(a.first) && known(a.second) && known(b.first) && known(b.second);
  if (bounded) {
    const Wide p[] = {static_cast<Wide>(a.first) * b.first, static_cast<Wide>(a.first) * b.second,
                      static_cast<Wide>(a.second) * b.first, static_cast<Wide>(a.second) * b.second};
    return narrowed(*std::ranges::min_element(p), *std::ranges::max_element(p));
  }
  if (a.first >= 0 && b.first >= 0) return {narrowed(static_cast<Wide>(a.first) * b.first, highest).first, highest};
  return {lowest, highest};
}

Range quotient(const Range& a, const Range& b) {
  if (b.first <= 0) return {lowest, highest};
  const auto divided = [&](int64_t v, bool by_largest) {
    if (!by_largest) return floor_divide(v, b.first);
    return b.second == highest ? (v < 0 ? -1 : 0) : floor_divide(v, b.second);
  };
  return {a.first == lowest ? lowest : divided(a.first, a.first >= 0),
          a.second == highest ? highest : divided(a.second, a.second < 0)};
}

Range remainder(const Range& a, const Range& b) {
  if (b.first <= 0) return {lowest, highest};
  if (a.first >= 0 && a.second < b.first) return a;
  const int64_t below = b.second == highest ? highest : b.second - 1;
  return {0, a.first >= 0 ? std::min(a.second, below) : below};
}

}  // namespace

void Ranges::put(ById& known, int id, int64_t lo, int64_t hi) {
  const auto i = static_cast<size_t>(id);
  if (known.size() <= i) known.resize(i + 1);
  known[i] = {lo, hi};
}

void Ranges::set_symbol(int id, int64_t lo, int64_t hi) { put(symbols_, id, lo, hi); }
void Ranges::set_axis(int id, int64_t lo, int64_t hi) { put(axes_, id, lo, hi); }
void Ranges::set_value(int id, int64_t lo, int64_t hi) { put(values_, id, lo, hi); }

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
  const ById& known = e.kind() == Kind::symbol ? symbols_ : e.kind() == Kind::axis ? axes_ : values_;
  if (const auto i = static_cast<size_t>(e.id()); i < known.size() && known[i]) return *known[i];
  if (e.kind() != Kind::axis) return {lowest, highest};
  if (const auto extent = axis_extent(e.id())) {
    const int64_t hi = of(*extent).second;
    return {0, hi == highest ? hi : std::max<int64_t>(hi - 1, 0)};
  }
  return {0, highest};
}

Range Ranges::of(Expr e) const { return RangeFinder(*this).of(e); }

Range RangeFinder::of(Expr e) {
  if (const auto c = e.constant()) return {*c, *c};
  if (e.operands().empty()) return ranges_.leaf(e);
  if (const auto it = known_.find(e); it != known_.end()) return it->second;
  const Range r = computed(e);
  known_.emplace(e, r);
  return r;
}

Range RangeFinder::computed(Expr e) {
  if (e.kind() == Kind::sum) {
    Range r{e.offset(), e.offset()};
    for (const auto& [c, t] : e.terms()) r = sum(r, scaled(of(t), c));
    return r;
  }
  if (e.kind() == Kind::product) {
    Range r{1, 1};
    for (Expr o : e.operands()) r = product(r, of(o));
    return r;
  }
  const Range a = of(e.operands()[0]), b = of(e.operands()[1]);
  if (e.kind() == Kind::min) return {std::min(a.first, b.first), std::min(a.second, b.second)};
  if (e.kind() == Kind::max) return {std::max(a.first, b.first), std::max(a.second, b.second)};
  if (e.kind() == Kind::doubled) return {b.first, std::max(b.second, scaled(a, 2).second)};
  return e.kind() == Kind::mod ? remainder(a, b) : quotient(a, b);
}

}  // namespace sinter::graph
