// SPDX-License-Identifier: Apache-2.0
#include "src/graph/binding.h"

namespace sinter::graph {

int64_t Binding::value(Expr e) const {
  return evaluate(e, [&](Expr leaf) { return symbols_[static_cast<size_t>(leaf.id())]; });
}

Dims Binding::shape(const ValueType& type) const {
  Dims d;
  for (Expr e : type.shape) d.push_back(value(e));
  return d;
}

Node Binding::literal(const Node& node) const {
  Node n = node;
  for (ValueType& t : n.results)
    for (Expr& e : t.shape) e = value(e);
  for (Scalar& s : n.attributes.scalars) {
    if (s.is_extent) {
      s.expr = value(s.expr);
      s.literal = Number::of(*s.expr.constant());
    } else if (s.symbol >= 0) {
      s.literal.bits = symbols_[static_cast<size_t>(s.symbol)];
      s.symbol = -1;
    }
  }
  return n;
}

}  // namespace sinter::graph
