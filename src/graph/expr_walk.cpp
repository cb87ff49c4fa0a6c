// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "src/graph/expr.h"
#include "src/graph/integer_math.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

bool is_leaf(Expr e) { return e.kind() == Kind::symbol || e.kind() == Kind::axis || e.kind() == Kind::value; }

// Expressions are trees to read but graphs in memory: a chain of reshapes can name one index many times at every level.
// Each walk therefore keeps what it knows of the nodes it has seen, and is linear in their number.

class Substitution {
 public:
  explicit Substitution(const std::function<std::optional<Expr>(Expr)>& f) : f_(f) {}

  Expr of(Expr e) {
    if (e.kind() == Kind::constant) return e;
    if (is_leaf(e)) return f_(e).value_or(e);
    if (const auto it = known_.find(e); it != known_.end()) return it->second;
    const Expr made = rebuilt(e);
    known_.emplace(e, made);
    return made;
  }

 private:
  Expr rebuilt(Expr e) {
    if (e.kind() == Kind::sum) {
      Expr s = e;  // only what changes is exchanged: building a long sum anew takes quadratic time
      for (const auto& [c, t] : e.terms())
        if (const Expr made = of(t); !(made == t)) s = s + Expr(c) * (made - t);
      return s;
    }
    if (e.kind() == Kind::product) {
      Expr p = 1;
      for (Expr o : e.operands()) p = p * of(o);
      return p;
    }
    const Expr a = of(e.operands()[0]), b = of(e.operands()[1]);
    if (e.kind() == Kind::floordiv) return floordiv(a, b);
    if (e.kind() == Kind::mod) return mod(a, b);
    if (e.kind() == Kind::doubled) return doubled(a, b);
    return e.kind() == Kind::min ? min(a, b) : max(a, b);
  }

  const std::function<std::optional<Expr>(Expr)>& f_;
  std::unordered_map<Expr, Expr> known_;
};

class Evaluation {
 public:
  explicit Evaluation(const std::function<int64_t(Expr)>& leaf) : leaf_(leaf) {}

  int64_t of(Expr e) {
    if (const auto c = e.constant()) return *c;
    if (is_leaf(e)) return leaf_(e);
    if (const auto it = known_.find(e); it != known_.end()) return it->second;
    const int64_t v = computed(e);
    known_.emplace(e, v);
    return v;
  }

 private:
  int64_t computed(Expr e) {
    if (e.kind() == Kind::sum) {
      int64_t s = e.offset();
      for (const auto& [c, t] : e.terms()) s = wrapped_sum(s, wrapped_product(c, of(t)));
      return s;
    }
    if (e.kind() == Kind::product) {
      int64_t p = 1;
      for (Expr o : e.operands()) p = wrapped_product(p, of(o));
      return p;
    }
    const int64_t a = of(e.operands()[0]), b = of(e.operands()[1]);
    if (e.kind() == Kind::min) return std::min(a, b);
    if (e.kind() == Kind::max) return std::max(a, b);
    if (e.kind() == Kind::doubled) return doubled_until(a, b);
    if (b == 0) throw CompileError("internal: the index expression " + e.text() + " divides by zero");
    return e.kind() == Kind::floordiv ? floor_divide(a, b) : floor_modulo(a, b);
  }

  const std::function<int64_t(Expr)>& leaf_;
  std::unordered_map<Expr, int64_t> known_;
};

class Visit {
 public:
  explicit Visit(const std::function<void(Expr)>& f) : f_(f) {}
  void run(Expr e) {
    if (e.kind() == Kind::constant || !seen_.insert(e).second) return;
    if (is_leaf(e)) f_(e);
    for (Expr o : e.operands()) run(o);
  }

 private:
  const std::function<void(Expr)>& f_;
  std::unordered_set<Expr> seen_;
};

}  // namespace

Expr substitute(Expr e, const std::function<std::optional<Expr>(Expr)>& f) { return Substitution(f).of(e); }

int64_t evaluate(Expr e, const std::function<int64_t(Expr)>& leaf) { return Evaluation(leaf).of(e); }

void visit_leaves(Expr e, const std::function<void(Expr)>& f) { Visit(f).run(e); }

bool depends_on_axis(Expr e, int axis) {
  bool found = false;
  visit_leaves(e, [&](Expr leaf) { found = found || (leaf.kind() == Kind::axis && leaf.id() == axis); });
  return found;
}

}  // namespace sinter::graph
