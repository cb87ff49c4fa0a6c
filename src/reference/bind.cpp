// SPDX-License-Identifier: Apache-2.0
#include "src/reference/bind.h"

namespace sinter::reference {

using graph::Expr;

int64_t Binding::value(Expr e) const {
  return graph::evaluate(e, [&](Expr leaf) { return symbols_[static_cast<size_t>(leaf.id())]; });
}

Dims Binding::shape(const graph::ValueType& type) const {
  Dims d;
  for (Expr e : type.shape) d.push_back(value(e));
  return d;
}

graph::Node Binding::literal(const graph::Node& node) const {
  graph::Node n = node;
  for (graph::ValueType& t : n.results)
    for (Expr& e : t.shape) e = value(e);
  for (graph::Scalar& s : n.attributes.scalars) {
    if (s.is_extent) {
      s.expr = value(s.expr);
      s.literal = graph::Number::of(*s.expr.constant());
    } else if (s.symbol >= 0) {
      s.literal.bits = symbols_[static_cast<size_t>(s.symbol)];
      s.symbol = -1;
    }
  }
  return n;
}

}  // namespace sinter::reference
