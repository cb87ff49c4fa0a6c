// SPDX-License-Identifier: Apache-2.0
#include "src/lower/collapse.h"

#include <algorithm>

#include "src/loop/address.h"
#include "src/lower/rebuild.h"

namespace sinter::lower {
namespace {

using graph::Expr;

/// Is e a function of outer * extent + inner alone, as far as it depends on the two axes? Their coefficients must stand
/// in that ratio, and they must occur nowhere else.
bool is_joint(Expr e, size_t outer, size_t inner, Expr extent, size_t axis_count) {
  Expr affine = 0;
  for (const auto& [c, t] : e.terms()) {
    const bool of_outer = depends_on_axis(t, static_cast<int>(outer)),
               of_inner = depends_on_axis(t, static_cast<int>(inner));
    if (of_outer || of_inner) affine = affine + Expr(c) * t;
  }
  const auto a = loop::as_affine(affine, axis_count);
  return a && a->coefficients[outer] == a->coefficients[inner] * extent;
}

class NestCollapser {
 public:
  NestCollapser(loop::Program& program, loop::Nest& nest)
      : program_(program),
        nest_(nest),
        instructions_(nest.body.instructions().begin(), nest.body.instructions().end()) {}

  void run() {
    linearize();
    for (size_t a = nest_.axes.size(); a-- > 0;)
      if (nest_.axes[a].extent.is_constant(1)) remove_axis(a);
    for (size_t a = nest_.axes.size(); a-- > 1;)
      if (nest_.axes[a].reduction == nest_.axes[a - 1].reduction && can_merge(a - 1)) merge(a - 1);
    rebuild(nest_, instructions_, loop::nest_ranges(nest_, program_.ranges));
  }

 private:
  template <class F>
  void each_index(const F& f) {
    for (loop::Instruction& in : instructions_)
      for (Expr& e : in.index) f(e);
    for (loop::Store& s : nest_.stores)
      for (Expr& e : s.index) f(e);
  }

  void linearize() {
    const graph::Ranges ranges = loop::nest_ranges(nest_, program_.ranges);
    const auto address = [&](int buffer, const std::vector<Expr>& index) {
      return loop::linear_address(program_.buffers[static_cast<size_t>(buffer)], index, ranges);
    };
    for (loop::Instruction& in : instructions_)
      if (in.kind == loop::InstructionKind::load) in.index = {address(in.id, in.index)};
    for (loop::Store& s : nest_.stores) s.index = {address(s.buffer, s.index)};
  }

  bool can_merge(size_t outer) {
    bool joint = true;
    const Expr extent = nest_.axes[outer + 1].extent;
    each_index([&](Expr& e) { joint = joint && is_joint(e, outer, outer + 1, extent, nest_.axes.size()); });
    return joint;
  }

  /// The joint axis stands where the outer one stood, with the inner one's coefficient.
  void merge(size_t outer) {
    nest_.axes[outer + 1].extent = nest_.axes[outer].extent * nest_.axes[outer + 1].extent;
    remove_axis(outer);
  }

  /// Uses of the axis become 0; those after it move up.
  void remove_axis(size_t axis) {
    each_index([&](Expr& e) {
      e = substitute(e, [&](Expr leaf) -> std::optional<Expr> {
        const auto id = static_cast<size_t>(leaf.id());
        if (leaf.kind() != Expr::Kind::axis || id < axis) return std::nullopt;
        return id == axis ? Expr(0) : Expr::axis(leaf.id() - 1);
      });
    });
    nest_.axes.erase(nest_.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  }

  loop::Program& program_;
  loop::Nest& nest_;
  std::vector<loop::Instruction> instructions_;
};

/// One past the largest address; a negative stride does not reach past the offset.
Expr flat_extent(const loop::Buffer& b, const graph::Ranges& ranges) {
  Expr last = b.offset;
  for (size_t d = 0; d < b.shape.size(); ++d) {
    if (b.shape[d].is_constant(0)) return 0;
    if (ranges.of(b.strides[d]).second > 0) last = last + (b.shape[d] - 1) * b.strides[d];
  }
  return last + 1;
}

}  // namespace

void collapse(loop::Program& program) {
  for (loop::Group& g : program.groups)
    for (loop::Nest& n : g.nests) NestCollapser(program, n).run();
  for (loop::Buffer& b : program.buffers) {
    b.shape = {flat_extent(b, program.ranges)};
    b.strides = {1};
    b.offset = 0;
  }
}

}  // namespace sinter::lower
