// SPDX-License-Identifier: Apache-2.0
#include "src/lower/collapse.h"

#include <algorithm>

namespace sinter::lower {
namespace {

using graph::Expr;
using Kind = Expr::Kind;

/// Coefficient of an axis in an affine term: c * axis, or c * symbols * axis.
std::optional<std::pair<int, Expr>> axis_term(int64_t c, Expr t) {
  if (t.kind() == Kind::axis) return {{t.id(), Expr(c)}};
  if (t.kind() != Kind::product) return std::nullopt;
  Expr rest = c;
  int axis = -1;
  for (Expr f : t.operands()) {
    if (f.kind() == Kind::axis) {
      if (axis >= 0) return std::nullopt;
      axis = f.id();
    } else if (f.kind() == Kind::symbol) {
      rest = rest * f;
    } else {
      bool symbols_only = true;
      graph::visit_leaves(f, [&](Expr l) { symbols_only = symbols_only && l.kind() == Kind::symbol; });
      if (!symbols_only) return std::nullopt;
      rest = rest * f;
    }
  }
  if (axis < 0) return std::nullopt;
  return {{axis, rest}};
}

bool symbols_only(Expr e) {
  bool ok = true;
  graph::visit_leaves(e, [&](Expr l) { ok = ok && l.kind() == Kind::symbol; });
  return ok;
}

/// Every index expression of a nest, in a fixed order, to be read and replaced.
template <class F>
void each_index(loop::Nest& nest, std::vector<loop::Instruction>& body, const F& f) {
  for (loop::Instruction& in : body)
    for (Expr& e : in.index) f(e);
  for (loop::Store& s : nest.stores)
    for (Expr& e : s.index) f(e);
}

/// Is e a function of (outer * extent + inner) alone? Then that function has inner -> 0, outer -> joint / extent; we
/// only accept coefficients in that ratio, or no mention of either.
bool mergeable(Expr e, int outer, int inner, Expr extent) {
  Expr co = int64_t{0}, ci = int64_t{0};
  for (const auto& [c, t] : e.terms()) {
    const auto term = axis_term(c, t);
    if (term && term->first == outer) {
      co = co + term->second;
    } else if (term && term->first == inner) {
      ci = ci + term->second;
    } else if (graph::depends_on_axis(t, outer) || graph::depends_on_axis(t, inner)) {
      return false;
    }
  }
  return co == ci * extent;
}

std::vector<loop::Instruction> copy_of(const loop::Body& b) {
  return {b.instructions().begin(), b.instructions().end()};
}

loop::Body rebuilt(const std::vector<loop::Instruction>& instructions, std::vector<loop::ValueId>& map) {
  loop::Body body;
  map.clear();
  for (loop::Instruction in : instructions) {
    for (loop::ValueId& v : in.operands)
      if (v >= 0) v = map[static_cast<size_t>(v)];
    for (Expr& e : in.index)
      e = graph::substitute(e, [&](Expr leaf) -> std::optional<Expr> {
        if (leaf.kind() != Kind::value) return std::nullopt;
        return Expr::value(map[static_cast<size_t>(leaf.id())]);
      });
    map.push_back(body.append(std::move(in)).id);
  }
  return body;
}

/// Replaces the axes: f maps an old axis to its expression in new ones.
void rename_axes(loop::Nest& nest, std::vector<loop::Instruction>& body, const std::vector<Expr>& to) {
  each_index(nest, body, [&](Expr& e) {
    e = graph::substitute(e, [&](Expr leaf) -> std::optional<Expr> {
      if (leaf.kind() != Kind::axis) return std::nullopt;
      return to[static_cast<size_t>(leaf.id())];
    });
  });
}

/// Drops axis `a` (its uses become `replacement`), renumbering those after it.
void remove_axis(loop::Nest& nest, std::vector<loop::Instruction>& body, size_t a, Expr replacement) {
  std::vector<Expr> to;
  for (size_t k = 0; k < nest.axes.size(); ++k)
    to.push_back(k == a ? replacement : Expr::axis(static_cast<int>(k > a ? k - 1 : k)));
  rename_axes(nest, body, to);
  nest.axes.erase(nest.axes.begin() + static_cast<std::ptrdiff_t>(a));
}

}  // namespace

Expr linear_address(const loop::Buffer& b, const std::vector<Expr>& index) {
  Expr address = b.offset;
  for (size_t d = 0; d < index.size(); ++d) address = address + index[d] * b.strides[d];
  return address;
}

std::optional<AffineAddress> affine_in_axes(Expr address, size_t axes) {
  AffineAddress a{Expr(address.offset()), std::vector<Expr>(axes, Expr(int64_t{0}))};
  for (const auto& [c, t] : address.terms()) {
    if (const auto term = axis_term(c, t)) {
      a.strides[static_cast<size_t>(term->first)] = a.strides[static_cast<size_t>(term->first)] + term->second;
    } else if (symbols_only(t)) {
      a.offset = a.offset + Expr(c) * t;
    } else {
      return std::nullopt;
    }
  }
  return a;
}

std::optional<AffineAddress> affine_address(const loop::Buffer& b, const std::vector<Expr>& index, size_t axes) {
  return affine_in_axes(linear_address(b, index), axes);
}

void collapse_axes(loop::Nest& nest, const loop::Program& program, const graph::Ranges& ranges) {
  std::vector<loop::Instruction> body = copy_of(nest.body);
  for (loop::Instruction& in : body)
    if (in.kind == loop::InstructionKind::load)
      in.index = {graph::simplify(linear_address(program.buffers[static_cast<size_t>(in.id)], in.index), ranges)};
  for (loop::Store& s : nest.stores)
    s.index = {graph::simplify(linear_address(program.buffers[static_cast<size_t>(s.buffer)], s.index), ranges)};
  for (size_t a = nest.axes.size(); a-- > 0;)
    if (nest.axes[a].extent.is_constant(1)) remove_axis(nest, body, a, Expr(int64_t{0}));
  for (size_t a = nest.axes.size(); a-- > 1;) {
    if (nest.axes[a].reduction != nest.axes[a - 1].reduction) continue;
    const Expr extent = nest.axes[a].extent;
    bool ok = true;
    each_index(nest, body,
               [&](Expr& e) { ok = ok && mergeable(e, static_cast<int>(a) - 1, static_cast<int>(a), extent); });
    if (!ok) continue;
    // outer * extent + inner becomes the joint axis: outer's place takes over with inner's coefficient.
    std::vector<Expr> to;
    for (size_t k = 0; k < nest.axes.size(); ++k)
      to.push_back(k == a - 1 ? Expr(int64_t{0}) : Expr::axis(static_cast<int>(k > a - 1 ? k - 1 : k)));
    nest.axes[a - 1].extent = nest.axes[a - 1].extent * extent;
    rename_axes(nest, body, to);
    nest.axes.erase(nest.axes.begin() + static_cast<std::ptrdiff_t>(a));
  }
  std::vector<loop::ValueId> map;
  nest.body = rebuilt(body, map);
  for (loop::Store& s : nest.stores) s.value = map[static_cast<size_t>(s.value)];
}

}  // namespace sinter::lower
