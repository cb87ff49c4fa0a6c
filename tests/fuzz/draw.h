// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "src/graph/registry.h"

namespace sinter::fuzz {

/// Random choices, the same on every platform.
class Chooser {
 public:
  explicit Chooser(uint64_t seed) : random_(seed) {}
  size_t pick(size_t n) { return random_() % n; }
  int64_t between(int64_t lo, int64_t hi) { return lo + static_cast<int64_t>(pick(static_cast<size_t>(hi - lo + 1))); }
  bool one_in(size_t n) { return pick(n) == 0; }
  template <class T, size_t n>
  const T& of(const T (&list)[n]) {
    return list[pick(n)];
  }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[pick(list.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[pick(i)]);
  }

 private:
  std::mt19937_64 random_;
};

DType draw_dtype(Chooser& choose);
/// Rank 0 to 4; most shapes are small, some have an extent of 0 or about 1000, few are long.
std::vector<graph::Expr> draw_shape(Chooser& choose);

/// Attributes for a call of `op` whose first operand is of type `x`: every parameter by its kind, some by their name.
/// Many are legal; the op's type rule refuses the others.
graph::Attributes draw_attributes(Chooser& choose, const graph::OpDef& op, const graph::ValueType& x);
/// How many optional arguments are numbers.
size_t number_arguments(const graph::OpDef& op, const graph::Attributes& attributes);

}  // namespace sinter::fuzz
