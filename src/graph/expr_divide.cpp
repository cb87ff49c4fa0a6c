// SPDX-License-Identifier: Apache-2.0
#include "src/graph/expr_divide.h"

#include <algorithm>
#include <vector>

#include "src/graph/integer_math.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

/// coefficient * product of factors.
struct Monomial {
  int64_t coefficient;
  std::vector<Expr> factors;
};

Monomial monomial(int64_t coefficient, Expr term) {
  if (term.kind() != Kind::product) return {coefficient, {term}};
  return {coefficient, {term.operands().begin(), term.operands().end()}};
}

/// The term of most factors; the last of those in the canonical order.
Monomial leading(Expr e) {
  Monomial best{e.offset(), {}};
  for (const auto& [c, t] : e.terms())
    if (Monomial m = monomial(c, t); m.factors.size() >= best.factors.size()) best = std::move(m);
  return best;
}

std::optional<Expr> quotient(Monomial a, const Monomial& b) {
  if (b.coefficient == 0 || b.coefficient == -1 || a.coefficient % b.coefficient != 0) return std::nullopt;
  for (Expr f : b.factors) {
    const auto at = std::ranges::find(a.factors, f);
    if (at == a.factors.end()) return std::nullopt;
    a.factors.erase(at);
  }
  return Expr(a.coefficient / b.coefficient) * product(a.factors);
}

Division divide_by_literal(Expr e, int64_t n) {
  const int64_t offset = n > 0 ? floor_modulo(e.offset(), n) : e.offset();
  Division d{n > 0 ? floor_divide(e.offset(), n) : 0, offset};
  for (const auto& [c, t] : e.terms()) {
    if (c % n == 0)
      d.multiple = d.multiple + Expr(c / n) * t;
    else
      d.rest = d.rest + Expr(c) * t;
  }
  return d;
}

}  // namespace

Division divide(Expr e, Expr n) {
  if (const auto c = n.constant()) {
    if (*c == 0 || *c == -1) return {0, e};
    return divide_by_literal(e, *c);
  }
  const Monomial by = leading(n);
  Division d{0, e};
  // Every step removes a term that the leading term divides; the bound stops divisors whose other terms bring such
  // terms back.
  for (int step = 0; step < 16; ++step) {
    std::optional<Expr> q;
    for (const auto& [c, t] : d.rest.terms()) {
      q = quotient(monomial(c, t), by);
      if (q) break;
    }
    if (!q) break;
    d.multiple = d.multiple + *q;
    d.rest = d.rest - *q * n;
  }
  return d;
}

std::optional<Expr> exact_quotient(Expr e, Expr n) {
  const auto [multiple, rest] = divide(e, n);
  return rest.is_constant(0) ? std::optional(multiple) : std::nullopt;
}

std::optional<Expr> checked_product(Expr a, Expr b) {
  int64_t p = 0;
  if (a.constant() && b.constant() && __builtin_mul_overflow(*a.constant(), *b.constant(), &p)) return std::nullopt;
  return a * b;
}

}  // namespace sinter::graph
