// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/cost.h"

#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using loop::InstructionKind;
using loop::ScalarOp;

constexpr int64_t gathered_access = 4;  ///< instructions of an address and its load or store

/// Points of the axes in a set; nothing if one is symbolic.
std::optional<int64_t> points(const loop::Nest& nest, loop::AxisSet axes) {
  int64_t n = 1;
  for (size_t a = 0; a < nest.axes.size(); ++a) {
    if ((axes >> a & 1) == 0) continue;
    const auto extent = nest.axes[a].extent.constant();
    if (!extent) return std::nullopt;
    n *= *extent;
  }
  return n;
}

}  // namespace

int instruction_weight(ScalarOp op, DType type) {
  const int width = type.bits() == 64 ? 2 : 1;  // two registers a value
  switch (op) {
    case ScalarOp::div:
      return 9 * width;
    case ScalarOp::sqrt:
      return 8 * width;
    case ScalarOp::fmod:
      return 40 * width;
    case ScalarOp::idiv:
    case ScalarOp::irem:
      return 16 * width * width;
    case ScalarOp::round_even:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::trunc:
      return 2;
    case ScalarOp::ex2_approx:
    case ScalarOp::lg2_approx:
    case ScalarOp::rcp_approx:
    case ScalarOp::rsqrt_approx:
    case ScalarOp::tanh_approx:
      return 4;  // a quarter of the lanes have the unit
    default:
      return scalar::is_platform_function(op) ? 80 : width;
  }
}

int instruction_weight_on_cpu(ScalarOp op, DType type) {
  switch (op) {
    case ScalarOp::ex2_approx:
    case ScalarOp::lg2_approx:
    case ScalarOp::tanh_approx:
      return 16;
    default:
      return instruction_weight(op, type);
  }
}

std::optional<Cost> cost_of(const loop::Program& program, const loop::Nest& nest) {
  const std::vector<loop::AxisSet> axes = loop::axis_dependence(nest);
  const std::vector<bool> live = loop::live_instructions(nest);
  Cost cost;
  for (size_t i = 0; i < nest.body.size(); ++i) {
    if (!live[i]) continue;
    const loop::Instruction& in = nest.body[static_cast<loop::ValueId>(i)];
    const bool folds = in.kind == InstructionKind::reduce;
    const auto n = points(nest, folds ? axes[static_cast<size_t>(in.operands[0])] : axes[i]);
    if (!n) return std::nullopt;
    if (in.kind == InstructionKind::load) {
      cost.bytes += *n * in.attribute.bytes();
      cost.instructions += *n * gathered_access;
    } else if (in.kind == InstructionKind::scalar) {
      cost.instructions += *n * instruction_weight(in.op, in.type);
    } else if (in.kind != InstructionKind::constant && in.kind != InstructionKind::number) {
      cost.instructions += *n;
    }
  }
  for (const loop::Store& s : nest.stores) {
    const auto n = points(nest, loop::axes_of(s.index[0], axes));
    if (!n) return std::nullopt;
    cost.bytes += *n * program.buffers[static_cast<size_t>(s.buffer)].dtype.bytes();
    cost.instructions += *n * gathered_access;
  }
  return cost;
}

}  // namespace sinter::schedule
