// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/mask_box.h"

#include "src/loop/address.h"
#include "src/loop/index_comparison.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using loop::ScalarOp;

/// Adds `slack >= 0` to the bounds of the last axis that it holds once.
bool bound(Expr slack, std::vector<AxisBounds>& box) {
  const auto affine = loop::as_affine(slack, box.size());
  if (!affine) return false;
  int axis = -1;
  for (size_t a = 0; a < box.size(); ++a)
    if (affine->coefficients[a].is_constant(1) || affine->coefficients[a].is_constant(-1)) axis = static_cast<int>(a);
  if (axis < 0) return false;
  AxisBounds& b = box[static_cast<size_t>(axis)];
  if (affine->coefficients[static_cast<size_t>(axis)].is_constant(1)) {
    const Expr lo = Expr::axis(axis) - slack;
    b.lo = b.lo ? max(*b.lo, lo) : lo;
  } else {
    const Expr hi = slack + Expr::axis(axis) + 1;
    b.hi = b.hi ? min(*b.hi, hi) : hi;
  }
  return true;
}

bool collect(const loop::Nest& nest, loop::ValueId mask, std::vector<AxisBounds>& box) {
  const loop::Instruction& in = nest.body[mask];
  if (in.kind != loop::InstructionKind::scalar) return false;
  if (in.op == ScalarOp::bit_and) return collect(nest, in.operands[0], box) && collect(nest, in.operands[1], box);
  const auto slack = loop::slack_of(nest.body, in);
  return slack && bound(*slack, box);
}

}  // namespace

std::optional<std::vector<AxisBounds>> mask_as_box(const loop::Nest& nest, loop::ValueId mask) {
  std::vector<AxisBounds> box(nest.axes.size());
  if (!collect(nest, mask, box)) return std::nullopt;
  return box;
}

}  // namespace sinter::schedule
