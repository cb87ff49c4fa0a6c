// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/phased_rows.h"

#include <algorithm>
#include <numeric>

#include "codegen/schedule/substitute_axes.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

constexpr int64_t lanes = 32, rows_a_program = 4;

/// The phase of a store's rows, over the axes as they are; nothing if they all start at a boundary or have no period.
std::optional<TilePhase> phase_of(const loop::Nest& nest, Expr address, int32_t vector) {
  const AxisStrides strides = axis_strides(address, nest.axes.size());
  TilePhase phase{.axis = nest.axes.size() - 1, .row = nest.axes.size(), .vector = vector};
  Expr base = address;
  for (size_t a = 0; a < nest.axes.size(); ++a) {
    if (!strides[a] || !strides[a]->constant()) return std::nullopt;
    const int64_t stride = *strides[a]->constant();
    base = base - Expr(stride) * Expr::axis(static_cast<int>(a));
    if (a == phase.axis || stride % vector == 0) continue;
    if (phase.row < nest.axes.size()) return std::nullopt;
    phase.row = a;
    phase.stride = stride;
  }
  if (!base.constant() || *base.constant() < 0 || phase.stride <= 0) return std::nullopt;
  phase.base = *base.constant();
  return phase;
}

/// Is a load in phase, or one of few for the rows of a tile?
bool suits(const loop::Instruction& in, const TilePhase& phase, size_t axes) {
  if (in.operands[0] >= 0) return false;
  const AxisStrides strides = axis_strides(in.index[0], axes);
  if (is_in_phase(phase, in.index[0], strides)) return true;
  if (!std::ranges::all_of(strides, [](const auto& s) { return s.has_value(); })) return false;
  return strides[phase.row]->is_constant(0) || strides[phase.axis]->is_constant(0);
}

/// Row r of the old axis is period * u + s.
TiledNest split_rows(const loop::Nest& nest, TilePhase phase, int64_t period, const graph::Ranges& symbols) {
  std::vector<loop::Axis> axes;
  std::vector<Expr> to;
  for (size_t a = 0; a < nest.axes.size(); ++a) {
    const auto next = Expr::axis(static_cast<int>(axes.size()));
    if (a != phase.row) {
      to.push_back(next);
      axes.push_back(nest.axes[a]);
      continue;
    }
    to.push_back(next + Expr(period) * Expr::axis(static_cast<int>(axes.size()) + 1));
    axes.push_back({Expr(period), false});
    axes.push_back({Expr(*nest.axes[a].extent.constant() / period), false});
  }
  TiledNest out{substitute_axes(nest, std::move(axes), to, symbols), {}};
  ++phase.axis;
  Tiling& t = out.tiling;
  t.axes.resize(out.nest.axes.size());
  const int64_t of_phase = *out.nest.axes[phase.row + 1].extent.constant();
  const auto rows = static_cast<int32_t>(std::gcd(of_phase, rows_a_program));
  const auto along = static_cast<int32_t>(lanes * phase.vector);
  t.axes[phase.row + 1] = {AxisPlace::Kind::tile, 0, rows};
  t.axes[phase.axis] = {AxisPlace::Kind::tile, 1, along};
  t.dims = {rows, along};
  t.num_warps = 1;
  t.phase = phase;
  return out;
}

}  // namespace

std::optional<TiledNest> with_phased_rows(const loop::Program& program, const loop::Nest& nest, const Target& target) {
  if (!target.cuda || !target.aligned || nest.axes.size() < 2 || nest.stores.empty()) return std::nullopt;
  for (const loop::Axis& a : nest.axes)
    if (!a.extent.constant()) return std::nullopt;
  int32_t widest = 1;
  for (const loop::Store& s : nest.stores)
    widest = std::max<int32_t>(widest, program.buffers[static_cast<size_t>(s.buffer)].dtype.bytes());
  const int32_t vector = 16 / widest;
  const auto phase = phase_of(nest, nest.stores[0].index[0], vector);
  if (!phase || phase->row == nest.axes.size()) return std::nullopt;
  const int64_t period = vector / std::gcd(phase->stride, int64_t{vector});
  const int64_t rows = *nest.axes[phase->row].extent.constant(), length = *nest.axes[phase->axis].extent.constant();
  if (rows % period != 0 || length < 2 * lanes * vector) return std::nullopt;
  for (const loop::Store& s : nest.stores)
    if (!is_in_phase(*phase, s.index[0], axis_strides(s.index[0], nest.axes.size()))) return std::nullopt;
  for (const loop::Instruction& in : nest.body.instructions())
    if (in.kind == loop::InstructionKind::load && !suits(in, *phase, nest.axes.size())) return std::nullopt;
  return split_rows(nest, *phase, period, program.ranges);
}

}  // namespace sinter::schedule
