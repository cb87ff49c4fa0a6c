// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "src/graph/expr_bounds.h"
#include "src/graph/expr_divide.h"
#include "src/graph/expr_node.h"
#include "src/graph/integer_math.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

size_t length(Expr e) { return e.terms().size() + (e.offset() != 0 ? 1 : 0); }

/// Applies the rules of simplify() bottom up until none applies. Every rule removes a division, or moves a term, a
/// constant or a factor out of one, so the rewriting ends.
class Simplifier {
 public:
  explicit Simplifier(const Ranges& ranges) : ranges_(ranges), prover_(ranges_) {}

  Expr of(Expr e) {
    if (ExprTable::node(e).polynomial) return e;
    if (const auto it = known_.find(e); it != known_.end()) return it->second;
    const Expr made = computed(e);
    known_.emplace(e, made);
    known_.emplace(made, made);
    return made;
  }

 private:
  Expr computed(Expr e) {
    if (e.kind() == Kind::sum) {
      Expr s = e.offset();
      for (const auto& [c, t] : e.terms()) s = s + Expr(c) * of(t);
      return recombined(s);
    }
    if (e.kind() == Kind::product) {
      Expr p = 1;
      for (Expr o : e.operands()) p = p * of(o);
      return p;
    }
    const Expr a = of(e.operands()[0]), b = of(e.operands()[1]);
    if (e.kind() == Kind::min || e.kind() == Kind::max) return choice(a, b, e.kind() == Kind::min);
    if (e.kind() == Kind::doubled) return prover_.nonnegative(b - a) ? b : doubled(a, b);
    const bool is_mod = e.kind() == Kind::mod;
    const Expr plain = is_mod ? mod(a, b) : floordiv(a, b);
    if (plain.kind() != e.kind()) return of(plain);
    const std::optional<Expr> simpler = ranges_.of(b).first > 0 ? division(a, b, is_mod) : std::nullopt;
    return simpler ? of(*simpler) : plain;
  }

  Expr choice(Expr a, Expr b, bool is_min) {
    if (prover_.nonnegative(b - a)) return is_min ? a : b;
    if (prover_.nonnegative(a - b)) return is_min ? b : a;
    return is_min ? min(a, b) : max(a, b);
  }

  /// a / n or a % n written otherwise; a and n are simple, n > 0.
  std::optional<Expr> division(Expr a, Expr n, bool is_mod) {
    if (prover_.within(a, n)) return is_mod ? a : Expr(0);
    if (const auto q = constant_quotient(a, n)) return is_mod ? a - Expr(*q) * n : Expr(*q);
    const auto [multiple, rest] = divide(a, n);
    if (prover_.within(rest, n)) return is_mod ? rest : multiple;
    if (!multiple.is_constant(0) && (n.constant() || length(rest) < length(a)))
      return is_mod ? mod(rest, n) : multiple + floordiv(rest, n);
    if (const auto e = by_common_factor(a, n, is_mod)) return e;
    return is_mod ? nested_mod(a, n) : nested_quotient(a, n);
  }

  /// The quotient, where ranges leave only one.
  std::optional<int64_t> constant_quotient(Expr a, Expr n) {
    const auto c = n.constant();
    const auto [lo, hi] = ranges_.of(a);
    if (!c || lo == lowest || hi == highest) return std::nullopt;
    const int64_t q = floor_divide(lo, *c);
    return q == floor_divide(hi, *c) ? std::optional(q) : std::nullopt;
  }

  /// With n = f*m and a = high*f + low, 0 <= low < f: a / n is high / m, and a % n is f * (high % m) + low.
  std::optional<Expr> by_common_factor(Expr a, Expr n, bool is_mod) {
    for (Expr f : factors_of_terms(a, n)) {
      const auto m = exact_quotient(n, f);
      if (!m || m->is_constant(1) || ranges_.of(f).first <= 0 || ranges_.of(*m).first <= 0) continue;
      const auto [high, low] = divide(a, f);
      if (high.is_constant(0) || !prover_.within(low, f)) continue;
      return is_mod ? f * mod(high, *m) + low : floordiv(high, *m);
    }
    return std::nullopt;
  }

  /// What a term of a and n may have in common: literal divisors, and factors of n if that is a product.
  static std::vector<Expr> factors_of_terms(Expr a, Expr n) {
    std::vector<Expr> factors;
    const auto terms = n.terms();
    const int64_t literal = terms.empty() ? n.offset() : n.offset() == 0 && terms.size() == 1 ? terms[0].first : 0;
    if (literal > 1)
      for (const auto& [c, t] : a.terms()) {
        const int64_t g = std::gcd(c, literal);
        if (g > 1 && !std::ranges::count(factors, Expr(g))) factors.push_back(g);
      }
    if (n.offset() == 0 && terms.size() == 1) {
      const Expr t = terms[0].second;
      if (t.kind() == Kind::product)
        factors.insert(factors.end(), t.operands().begin(), t.operands().end());
      else if (literal > 1)
        factors.push_back(t);
    }
    return factors;
  }

  /// (x / p) / n = x / (p*n); (x % (k*n)) / n = (x / n) % k.
  std::optional<Expr> nested_quotient(Expr a, Expr n) {
    if (a.kind() != Kind::floordiv && a.kind() != Kind::mod) return std::nullopt;
    const Expr x = a.operands()[0], p = a.operands()[1];
    if (ranges_.of(p).first <= 0) return std::nullopt;
    if (a.kind() == Kind::floordiv) {
      const auto joint = checked_product(p, n);
      return joint ? std::optional(floordiv(x, *joint)) : std::nullopt;
    }
    const auto k = exact_quotient(p, n);
    return k ? std::optional(mod(floordiv(x, n), *k)) : std::nullopt;
  }

  /// Terms c * (x % p) where n divides c*p count as c*x; literal coefficients count modulo n.
  std::optional<Expr> nested_mod(Expr a, Expr n) {
    Expr plain = a.offset();
    for (const auto& [c, t] : a.terms()) {
      const bool drops = t.kind() == Kind::mod && ranges_.of(t.operands()[1]).first > 0 &&
                         exact_quotient(Expr(c) * t.operands()[1], n);
      const int64_t coefficient = n.constant() ? c % *n.constant() : c;
      plain = plain + Expr(coefficient) * (drops ? t.operands()[0] : t);
    }
    return plain == a ? std::nullopt : std::optional(mod(plain, n));
  }

  /// n*(x / n) + x % n = x; n*((x / n) % k) + x % n = x % (k*n).
  Expr recombined(Expr s) {
    for (const auto& [c, t] : s.terms()) {
      if (t.kind() != Kind::mod || ranges_.of(t.operands()[1]).first <= 0) continue;
      const Expr x = t.operands()[0], n = t.operands()[1];
      const Expr quotient = of(floordiv(x, n));
      const Expr high = Expr(c) * quotient * n;
      if (contains(s, high)) return of(s - Expr(c) * t - high + Expr(c) * x);
      for (const auto& [d, u] : s.terms())
        if (const auto k = modulus_of(u, quotient); k && Expr(c) * n * mod(quotient, *k) == Expr(d) * u)
          if (const auto joint = checked_product(n, *k))
            return of(s - Expr(c) * t - Expr(d) * u + Expr(c) * mod(x, *joint));
    }
    return s;
  }

  /// Does s hold every term of part?
  static bool contains(Expr s, Expr part) {
    const auto terms = s.terms();
    if (part.terms().empty()) return false;
    return std::ranges::all_of(part.terms(), [&](const auto& t) { return std::ranges::count(terms, t) > 0; });
  }

  /// k if the term is, or has the factor, x % k.
  static std::optional<Expr> modulus_of(Expr term, Expr x) {
    const auto is_it = [&](Expr e) { return e.kind() == Kind::mod && e.operands()[0] == x; };
    if (is_it(term)) return term.operands()[1];
    if (term.kind() == Kind::product)
      for (Expr f : term.operands())
        if (is_it(f)) return f.operands()[1];
    return std::nullopt;
  }

  RangeFinder ranges_;
  Prover prover_;
  std::unordered_map<Expr, Expr> known_;
};

}  // namespace

Expr simplify(Expr e, const Ranges& ranges) {
  if (ExprTable::node(e).polynomial) return e;
  return Simplifier(ranges).of(e);
}

}  // namespace sinter::graph
