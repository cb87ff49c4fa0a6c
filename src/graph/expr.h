// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::graph {

struct ExprNode;

/// An integer expression over symbols (extents, promoted numbers), loop axes and loaded indices: affine sums, products,
/// floordiv, mod, min, max. One type serves extents of the graph and indices of the loop IR, so there is one
/// simplifier.
///
/// Immutable, hash-consed in one process-wide table: equal structure is one pointer, comparison is one instruction, and
/// any thread may build. Sums are kept flat and sorted (constant + coefficient * term ...), so that equal affine
/// expressions are equal pointers. Default construction gives 0.
class Expr {
 public:
  enum class Kind : uint8_t { constant, symbol, axis, value, sum, product, floordiv, mod, min, max, doubled };

  Expr();
  Expr(int64_t constant);  // NOLINT(google-explicit-constructor): literals are expressions
  static Expr symbol(int id);
  static Expr axis(int id);
  /// An index that a loop body computed (Body::to_index); id is the body's value id.
  static Expr value(int id);

  Kind kind() const;
  /// constant(): the value if the expression is a literal.
  std::optional<int64_t> constant() const;
  bool is_constant(int64_t v) const { return constant() == v; }
  /// Symbol, axis or value id.
  int id() const;
  /// sum: constant term and the (coefficient, term) list; for other kinds offset 0 and {(1, *this)} (constants: no
  /// terms).
  int64_t offset() const;
  std::vector<std::pair<int64_t, Expr>> terms() const;
  /// Operands of product, floordiv, mod, min, max, doubled.
  std::span<const Expr> operands() const;

  friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }
  size_t hash() const { return std::hash<const void*>{}(node_); }
  /// A process-independent total order (structural), for canonical serialisation.
  static int compare(Expr a, Expr b);

  /// `16*s0 + (a1 / 3) + 1`: symbols s<i>, axes a<i>, values v<i>; `/` is floordiv and `%` mod. parse() reads it back
  /// and throws CompileError with the column.
  std::string text() const;
  static Expr parse(std::string_view text);
  /// Reads the longest expression that text begins with, and removes it from text.
  static Expr parse_front(std::string_view& text);

 private:
  explicit Expr(const ExprNode& node) : node_(&node) {}
  friend class ExprTable;
  const ExprNode* node_;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr floordiv(Expr a, Expr b);
Expr mod(Expr a, Expr b);  ///< floor modulus: result has the sign of b; x mod 0 is never formed
Expr ceildiv(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
/// The least of b, 2*b, 4*b, ... that is not below a; b > 0. Over symbols only: the host computes it.
Expr doubled(Expr a, Expr b);
Expr product(std::span<const Expr> factors);

/// Inclusive value ranges of symbols, axes and values; what is not listed is [INT64_MIN, INT64_MAX] (axes: >= 0).
class Ranges {
 public:
  void set_symbol(int id, int64_t lo, int64_t hi);
  void set_axis(int id, int64_t lo, int64_t hi);
  void set_value(int id, int64_t lo, int64_t hi);
  /// An axis with a symbolic extent: 0 <= axis < extent is used structurally ((a*n + i) floordiv n is a when i < n).
  void set_axis_extent(int id, Expr extent);
  std::optional<Expr> axis_extent(int id) const;
  std::pair<int64_t, int64_t> of(Expr e) const;

 private:
  friend class RangeFinder;
  using ById = std::vector<std::optional<std::pair<int64_t, int64_t>>>;
  static void put(ById& known, int id, int64_t lo, int64_t hi);
  std::pair<int64_t, int64_t> leaf(Expr e) const;
  ById symbols_, axes_, values_;
  std::vector<std::pair<int, Expr>> extents_;
};

/// Rewrites under ranges, for literal and symbolic divisors n > 0; the value is the same wherever leaves are in range:
///   (a*n + b) / n -> a + b / n      (a*n + b) % n -> b % n      x / n -> 0, x % n -> x   where 0 <= x < n
///   (a*f + b) / (f*m) -> a / m      (a*f + b) % (f*m) -> f*(a % m) + b                   where 0 <= b < f
///   (x / p) / n -> x / (p*n)        (x % (k*n)) % n -> x % n    (x % (k*n)) / n -> (x / n) % k
///   n*(x / n) + x % n -> x          n*((x / n) % k) + x % n -> x % (k*n)
/// and min and max are decided where one side is provably the smaller.
Expr simplify(Expr e, const Ranges& ranges);
/// Is e >= 0 provable? From ranges, and from axes' symbolic extents: s0 - 1 - a0 is, for an axis a0 < s0.
bool provably_nonnegative(Expr e, const Ranges& ranges);
/// Is 0 <= e < bound provable?
bool provably_within(Expr e, Expr bound, const Ranges& ranges);

/// Replaces leaves; f returns nullopt to keep a leaf.
Expr substitute(Expr e, const std::function<std::optional<Expr>(Expr leaf)>& f);
/// Calls f once for every different leaf.
void visit_leaves(Expr e, const std::function<void(Expr leaf)>& f);
bool depends_on_axis(Expr e, int axis);

/// Value under an environment: symbol(id), axis(id), value(id) looked up by the callback. Sums and products wrap;
/// throws CompileError if a divisor is 0.
int64_t evaluate(Expr e, const std::function<int64_t(Expr leaf)>& leaf);

}  // namespace sinter::graph

template <>
struct std::hash<sinter::graph::Expr> {
  size_t operator()(sinter::graph::Expr e) const noexcept { return e.hash(); }
};
