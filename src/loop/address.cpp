// SPDX-License-Identifier: Apache-2.0
#include "src/loop/address.h"

#include <optional>

namespace sinter::loop {
namespace {

bool is_uniform(Expr e) {
  bool uniform = true;
  visit_leaves(e, [&](Expr leaf) { uniform = uniform && leaf.kind() == Expr::Kind::symbol; });
  return uniform;
}

}  // namespace

Expr linear_address(const Buffer& buffer, std::span<const Expr> index, const graph::Ranges& ranges) {
  Expr address = buffer.offset;
  for (size_t d = 0; d < index.size(); ++d) address = address + index[d] * buffer.strides[d];
  return simplify(address, ranges);
}

std::vector<Expr> row_major_strides(std::span<const Expr> shape) {
  std::vector<Expr> strides(shape.size());
  Expr stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = stride * shape[d];
  }
  return strides;
}

std::optional<AffineAddress> as_affine(Expr address, size_t axis_count) {
  AffineAddress a{address, std::vector<Expr>(axis_count)};
  for (const auto& [c, t] : address.terms()) {
    if (is_uniform(t)) continue;
    a.base = a.base - Expr(c) * t;  // what is left; adding up the others takes quadratic time
    int axis = -1;
    Expr factor = c;
    const Expr single[] = {t};
    for (Expr f : t.kind() == Expr::Kind::product ? t.operands() : std::span<const Expr>(single)) {
      if (is_uniform(f))
        factor = factor * f;
      else if (f.kind() == Expr::Kind::axis && axis < 0)
        axis = f.id();
      else
        return std::nullopt;
    }
    Expr& coefficient = a.coefficients.at(static_cast<size_t>(axis));
    coefficient = coefficient + factor;
  }
  return a;
}

}  // namespace sinter::loop
