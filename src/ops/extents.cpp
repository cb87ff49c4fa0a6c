// SPDX-License-Identifier: Apache-2.0
#include "src/ops/extents.h"

#include <algorithm>

namespace sinter::ops {
namespace {

/// A product as a constant times other factors.
struct Factors {
  int64_t constant = 1;
  std::vector<Expr> others;
};

Factors factors_of(std::span<const Expr> shape) {
  Factors f;
  for (const Expr& e : shape) {
    if (const auto c = e.constant())
      f.constant *= *c;
    else
      f.others.push_back(e);
  }
  return f;
}

Expr to_expr(const Factors& f) { return Expr(f.constant) * graph::product(f.others); }

/// Positions of the dims that are not the literal 1: only these carry an index.
std::vector<size_t> wide_dims(std::span<const Expr> shape) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!shape[d].is_constant(1)) dims.push_back(d);
  return dims;
}

Expr product_of(std::span<const Expr> shape, std::span<const size_t> dims) {
  Expr p(1);
  for (size_t d : dims) p = p * shape[d];
  return p;
}

using DimList = std::span<const size_t>;

/// The shortest non-empty beginnings of both lists with equal products; the whole lists if there are none.
std::pair<size_t, size_t> matching_run(std::span<const Expr> from, DimList from_dims, std::span<const Expr> to,
                                       DimList to_dims) {
  for (size_t total = 2; total < from_dims.size() + to_dims.size(); ++total)
    for (size_t a = 1; a < total; ++a) {
      const size_t b = total - a;
      if (a > from_dims.size() || b > to_dims.size()) continue;
      if (product_of(from, from_dims.first(a)) == product_of(to, to_dims.first(b))) return {a, b};
    }
  return {from_dims.size(), to_dims.size()};
}

void map_run(std::span<const Expr> from, DimList from_dims, std::span<const Expr> to, DimList to_dims,
             std::span<const Expr> index, std::vector<Expr>& result) {
  Expr linear;
  for (size_t d : to_dims) linear = linear * to[d] + index[d];
  for (size_t i = from_dims.size(); i-- > 0;) {
    const Expr extent = from[from_dims[i]];
    result[from_dims[i]] = i == 0 ? linear : mod(linear, extent);
    if (i != 0) linear = floordiv(linear, extent);
  }
}

}  // namespace

Expr element_count(std::span<const Expr> shape) { return to_expr(factors_of(shape)); }

std::optional<Expr> quotient(std::span<const Expr> factors, std::span<const Expr> divisors) {
  Factors above = factors_of(factors), below = factors_of(divisors);
  std::erase_if(below.others, [&](Expr e) {
    const auto found = std::find(above.others.begin(), above.others.end(), e);
    if (found == above.others.end()) return false;
    above.others.erase(found);
    return true;
  });
  if (below.constant == 0) return std::nullopt;
  if (above.constant % below.constant == 0) {
    above.constant /= below.constant;
    below.constant = 1;
  } else if (above.others.empty() && below.others.empty()) {
    return std::nullopt;
  }
  if (below.constant == 1 && below.others.empty()) return to_expr(above);
  return floordiv(to_expr(above), to_expr(below));
}

Expr simplify_extent(Expr extent) {
  constexpr int64_t largest = int64_t{1} << 48;
  graph::Ranges ranges;
  graph::visit_leaves(extent, [&](Expr leaf) {
    if (leaf.kind() == Expr::Kind::symbol) ranges.set_symbol(leaf.id(), 2, largest);
  });
  return graph::simplify(extent, ranges);
}

std::vector<Expr> reshape_index(std::span<const Expr> from, std::span<const Expr> to, std::span<const Expr> index) {
  std::vector<Expr> result(from.size());  // 0 in dims of extent 1
  const auto from_wide = wide_dims(from), to_wide = wide_dims(to);
  DimList from_dims(from_wide), to_dims(to_wide);
  while (!from_dims.empty()) {
    const auto [a, b] = matching_run(from, from_dims, to, to_dims);
    map_run(from, from_dims.first(a), to, to_dims.first(b), index, result);
    from_dims = from_dims.subspan(a);
    to_dims = to_dims.subspan(b);
  }
  return result;
}

}  // namespace sinter::ops
