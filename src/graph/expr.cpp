// SPDX-License-Identifier: Apache-2.0
#include "src/graph/expr.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "src/graph/expr_node.h"
#include "src/graph/integer_math.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

size_t mixed(size_t h, size_t v) { return (h ^ v) * 0x9e3779b97f4a7c15u + (h >> 29); }

size_t hash_of(const ExprNode& n) {
  size_t h = mixed(static_cast<size_t>(n.kind), static_cast<size_t>(n.value));
  for (Expr e : n.operands) h = mixed(h, e.hash());
  for (int64_t c : n.coefficients) h = mixed(h, static_cast<size_t>(c));
  return h;
}

bool same(const ExprNode& a, const ExprNode& b) {
  return a.kind == b.kind && a.value == b.value && a.operands == b.operands && a.coefficients == b.coefficients;
}

struct Shard {
  std::mutex mutex;
  std::unordered_multimap<size_t, const ExprNode*> nodes;
};

std::array<Shard, 16>& shards() {
  static auto* s = new std::array<Shard, 16>;
  return *s;
}

struct Less {
  bool operator()(Expr a, Expr b) const { return Expr::compare(a, b) < 0; }
};

/// A sum under construction; its terms are sorted.
class Linear {
 public:
  void add(Expr e, int64_t times) {
    constant_ = wrapped_sum(constant_, wrapped_product(times, e.offset()));
    if (e.kind() == Kind::constant) return;
    if (e.kind() != Kind::sum) {
      const auto at =
          std::lower_bound(terms_.begin(), terms_.end(), e, [](const Term& t, Expr x) { return less(t.first, x); });
      if (at != terms_.end() && at->first == e)
        at->second = wrapped_sum(at->second, times);
      else
        terms_.insert(at, {e, times});
      return;
    }
    merge(ExprTable::node(e), times);
  }

  Expr build() const {
    ExprNode n{Kind::sum, constant_, {}, {}};
    for (const auto& [t, c] : terms_)
      if (c != 0) {
        n.operands.push_back(t);
        n.coefficients.push_back(c);
      }
    if (n.operands.empty()) return Expr(constant_);
    if (n.operands.size() == 1 && constant_ == 0 && n.coefficients[0] == 1) return n.operands[0];
    return ExprTable::intern(std::move(n));
  }

 private:
  using Term = std::pair<Expr, int64_t>;
  static bool less(Expr a, Expr b) { return Less{}(a, b); }

  void merge(const ExprNode& sum, int64_t times) {
    std::vector<Term> merged;
    merged.reserve(terms_.size() + sum.operands.size());
    auto at = terms_.begin();
    for (size_t i = 0; i < sum.operands.size(); ++i) {
      const Expr t = sum.operands[i];
      const int64_t c = wrapped_product(times, sum.coefficients[i]);
      while (at != terms_.end() && !(at->first == t) && less(at->first, t)) merged.push_back(*at++);
      if (at != terms_.end() && at->first == t)
        merged.emplace_back(t, wrapped_sum((at++)->second, c));
      else
        merged.emplace_back(t, c);
    }
    merged.insert(merged.end(), at, terms_.end());
    terms_ = std::move(merged);
  }

  int64_t constant_ = 0;
  std::vector<Term> terms_;
};

Expr binary(Kind kind, Expr a, Expr b) { return ExprTable::intern({kind, 0, {a, b}, {}}); }

}  // namespace

Expr ExprTable::intern(ExprNode node) {
  node.polynomial = node.kind <= Kind::product &&
                    std::ranges::all_of(node.operands, [](Expr e) { return ExprTable::node(e).polynomial; });
  const size_t h = hash_of(node);
  Shard& shard = shards()[h % shards().size()];
  std::scoped_lock lock(shard.mutex);
  auto [first, last] = shard.nodes.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (same(*it->second, node)) return Expr(*it->second);
  const auto* made = new ExprNode(std::move(node));
  shard.nodes.emplace(h, made);
  return Expr(*made);
}

Expr::Expr() : Expr(int64_t{0}) {}

Expr::Expr(int64_t constant) {
  // The constants that every index is made of need no table.
  static const std::array<const ExprNode*, 17> small = [] {
    std::array<const ExprNode*, 17> nodes;
    for (size_t i = 0; i < nodes.size(); ++i)
      nodes[i] = ExprTable::intern({Kind::constant, static_cast<int64_t>(i), {}, {}}).node_;
    return nodes;
  }();
  const auto i = static_cast<uint64_t>(constant);
  node_ = i < small.size() ? small[i] : ExprTable::intern({Kind::constant, constant, {}, {}}).node_;
}

Expr Expr::symbol(int id) { return ExprTable::intern({Kind::symbol, id, {}, {}}); }
Expr Expr::axis(int id) { return ExprTable::intern({Kind::axis, id, {}, {}}); }
Expr Expr::value(int id) { return ExprTable::intern({Kind::value, id, {}, {}}); }

Kind Expr::kind() const { return node_->kind; }
std::optional<int64_t> Expr::constant() const {
  return node_->kind == Kind::constant ? std::optional(node_->value) : std::nullopt;
}
int Expr::id() const { return static_cast<int>(node_->value); }
int64_t Expr::offset() const { return node_->kind == Kind::constant || node_->kind == Kind::sum ? node_->value : 0; }

std::vector<std::pair<int64_t, Expr>> Expr::terms() const {
  std::vector<std::pair<int64_t, Expr>> terms;
  if (node_->kind == Kind::constant) return terms;
  if (node_->kind != Kind::sum) return {{1, *this}};
  for (size_t i = 0; i < node_->operands.size(); ++i) terms.emplace_back(node_->coefficients[i], node_->operands[i]);
  return terms;
}

std::span<const Expr> Expr::operands() const { return node_->operands; }

int Expr::compare(Expr a, Expr b) {
  if (a == b) return 0;
  const ExprNode &x = *a.node_, &y = *b.node_;
  if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
  if (x.value != y.value) return x.value < y.value ? -1 : 1;
  if (x.operands.size() != y.operands.size()) return x.operands.size() < y.operands.size() ? -1 : 1;
  for (size_t i = 0; i < x.operands.size(); ++i)
    if (const int c = compare(x.operands[i], y.operands[i])) return c;
  return x.coefficients < y.coefficients ? -1 : 1;
}

Expr operator+(Expr a, Expr b) {
  Linear l;
  l.add(a, 1);
  l.add(b, 1);
  return l.build();
}

Expr operator-(Expr a, Expr b) {
  Linear l;
  l.add(a, 1);
  l.add(b, -1);
  return l.build();
}

Expr operator*(Expr a, Expr b) {
  if (a.constant()) std::swap(a, b);
  Linear l;
  if (const auto c = b.constant()) {
    l.add(a, *c);
    return l.build();
  }
  // Distribute over sums, so that products of extents stay affine in the axes.
  if (a.kind() == Kind::sum || b.kind() == Kind::sum) {
    l.add(Expr(a.offset()) * b, 1);
    for (const auto& [c, t] : a.terms())
      if (a.kind() == Kind::sum)
        l.add(t * b, c);
      else
        for (const auto& [d, u] : b.terms()) l.add(t * u, d);
    if (a.kind() != Kind::sum) l.add(a, b.offset());
    return l.build();
  }
  ExprNode n{Kind::product, 0, {}, {}};
  for (Expr e : {a, b}) {
    if (e.kind() == Kind::product)
      n.operands.insert(n.operands.end(), e.operands().begin(), e.operands().end());
    else
      n.operands.push_back(e);
  }
  std::ranges::sort(n.operands, Less{});
  return ExprTable::intern(std::move(n));
}

Expr floordiv(Expr a, Expr b) {
  const auto x = a.constant(), y = b.constant();
  if (y == 1) return a;
  if (y == -1) return Expr(0) - a;
  if (x == 0) return 0;
  if (x && y && *y != 0) return floor_divide(*x, *y);
  if (a == b) return 1;
  return binary(Kind::floordiv, a, b);
}

Expr mod(Expr a, Expr b) {
  const auto x = a.constant(), y = b.constant();
  if (y == 1 || y == -1 || x == 0 || a == b) return 0;
  if (x && y && *y != 0) return floor_modulo(*x, *y);
  return binary(Kind::mod, a, b);
}

Expr ceildiv(Expr a, Expr b) { return floordiv(a + b - 1, b); }

Expr min(Expr a, Expr b) {
  if (a == b) return a;
  if (a.constant() && b.constant()) return std::min(*a.constant(), *b.constant());
  return Less{}(a, b) ? binary(Kind::min, a, b) : binary(Kind::min, b, a);
}

Expr max(Expr a, Expr b) {
  if (a == b) return a;
  if (a.constant() && b.constant()) return std::max(*a.constant(), *b.constant());
  return Less{}(a, b) ? binary(Kind::max, a, b) : binary(Kind::max, b, a);
}

Expr doubled(Expr a, Expr b) {
  if (a.constant() && b.constant()) return doubled_until(*a.constant(), *b.constant());
  return binary(Kind::doubled, a, b);
}

Expr product(std::span<const Expr> factors) {
  Expr p = 1;
  for (Expr f : factors) p = p * f;
  return p;
}

}  // namespace sinter::graph
