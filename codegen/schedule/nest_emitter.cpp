// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/nest_emitter.h"

#include <sinter/error.h>

#include "codegen/schedule/division.h"
#include "codegen/schedule/planted_value.h"
#include "src/graph/seeded_fault.h"

namespace sinter::schedule {

using graph::Expr;
using loop::InstructionKind;
using tile_ir::Value;

NestEmitter::NestEmitter(KernelWriter& kernel, const loop::Nest& nest, const Tiling& tiling)
    : kernel_(kernel),
      nest_(nest),
      tiling_(tiling),
      target_(kernel.target()),
      ranges_(loop::nest_ranges(nest, kernel.program().ranges)),
      b_(kernel.builder()),
      value_ranges_(nest.body, ranges_),
      origins_(nest.axes.size()),
      whole_(nest.axes.size()),
      dependence_(loop::axis_dependence(nest)) {}

std::vector<std::pair<size_t, Expr>> NestEmitter::tile_counts() const {
  std::vector<std::pair<size_t, Expr>> counts;
  for (size_t a = 0; a < nest_.axes.size(); ++a) {
    const AxisPlace& p = tiling_.axes[a];
    if (nest_.axes[a].reduction || p.kind == AxisPlace::Kind::parts) continue;
    const Expr size = int64_t{p.size};
    // Whatever a row's phase is, as many tiles reach its end.
    const Expr extent = nest_.axes[a].extent + Expr(is_phased(a) ? int64_t{tiling_.phase->vector} - 1 : int64_t{0});
    const bool loses_tail = planted(graph::Fault::lost_tail);  // tests only
    counts.emplace_back(a,
                        simplify(loses_tail ? max(floordiv(extent, size), Expr(1)) : ceildiv(extent, size), ranges_));
  }
  return counts;
}

Expr NestEmitter::programs() const {
  Expr grid = int64_t{1};
  for (const auto& [axis, count] : tile_counts()) grid = grid * count;
  return grid;
}

void NestEmitter::decode_program_id(Value pid) {
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if (tiling_.axes[a].kind == AxisPlace::Kind::parts) origins_[a] = b_.literal(0);
  const auto counts = tile_counts();
  const Expr grid = programs();
  // Divisions of the id are per program; 32-bit ones are several times cheaper where the count allows.
  const bool narrow = grid.constant() && *grid.constant() < (int64_t{1} << 31);
  const auto wide = [&](Value v) { return narrow ? b_.convert(v, i64) : v; };
  Value rest = narrow ? b_.convert(pid, i32) : pid;
  for (size_t i = counts.size(); i-- > 0;) {
    const auto [a, count] = counts[i];
    Value t = rest;
    if (i > 0 && !count.is_constant(1)) {
      const Value n = narrow ? b_.constant(i32, static_cast<double>(*count.constant())) : scalar_of(count);
      t = b_.irem(rest, n);
      rest = b_.idiv(rest, n);
    } else if (count.is_constant(1)) {
      origins_[a] = b_.literal(0);
      continue;
    }
    const int32_t size = tiling_.axes[a].size;
    origins_[a] = size == 1 ? wide(t) : b_.mul(wide(t), b_.literal(size));
  }
  if (!tiling_.phase) return;
  std::optional<Value>& origin = origins_[tiling_.phase->axis];
  origin = b_.sub(*origin, scalar_of(tiling_.phase->first()));
}

std::optional<Value> NestEmitter::has_elements() {
  if (!tiling_.phase) return std::nullopt;
  const size_t axis = tiling_.phase->axis;
  return b_.lt(*origins_[axis], scalar_of(nest_.axes[axis].extent));
}

bool NestEmitter::is_phased(size_t axis) const { return tiling_.phase && tiling_.phase->axis == axis; }

void NestEmitter::set_origin(size_t axis, Value origin) {
  origins_[axis] = origin;
  known_.narrow.clear();
  known_.wide.clear();
}

void NestEmitter::forget_axis(size_t axis) {
  for (size_t i = 0; i < dependence_.size(); ++i)
    if ((dependence_[i] >> axis & 1) != 0) known_.values.erase(static_cast<loop::ValueId>(i));
  known_.narrow.clear();
  known_.wide.clear();
}

bool NestEmitter::has_tile(size_t axis) const {
  const AxisPlace& p = tiling_.axes[axis];
  return p.kind == AxisPlace::Kind::parts || (p.kind == AxisPlace::Kind::tile && p.size > 1);
}

tile_ir::Type NestEmitter::shape_of_axis(size_t axis) const {
  const AxisPlace& p = tiling_.axes[axis];
  std::vector<int32_t> dims(tiling_.dims.size(), 1);
  if (p.kind == AxisPlace::Kind::tile) dims[static_cast<size_t>(p.dim)] = p.size;
  return tile_ir::Type::tile(i32, dims, p.kind == AxisPlace::Kind::parts ? p.size : 1);
}

bool NestEmitter::needs_mask(size_t axis) const {
  const AxisPlace& p = tiling_.axes[axis];
  if (p.kind != AxisPlace::Kind::tile) return false;
  if (p.size == 1) return whole_[axis] == false;
  if (is_phased(axis)) return true;
  if (whole_[axis]) return !*whole_[axis];
  return !simplify(mod(nest_.axes[axis].extent, Expr(int64_t{p.size})), ranges_).is_constant(0);
}

std::optional<Value> NestEmitter::inside(size_t axis) {
  if (!needs_mask(axis)) return std::nullopt;
  const AxisPlace& p = tiling_.axes[axis];
  const Value left = b_.min(b_.sub(scalar_of(nest_.axes[axis].extent), *origins_[axis]), b_.literal(p.size));
  const Value lanes = b_.iota(p.dim, shape_of_axis(axis)), below = b_.lt(lanes, b_.convert(left, i32));
  if (!is_phased(axis)) return below;
  return b_.bit_and(b_.le(b_.convert(b_.sub(b_.literal(0), *origins_[axis]), i32), lanes), below);
}

std::optional<Value> NestEmitter::conjunction(std::optional<Value> a, Value v) { return a ? b_.bit_and(*a, v) : v; }

Value NestEmitter::value(loop::ValueId id) {
  if (const auto it = known_.values.find(id); it != known_.values.end()) return it->second;
  const loop::Instruction& in = nest_.body[id];
  Value v;
  switch (in.kind) {
    case InstructionKind::constant:
      v = b_.constant(tile_ir::Type::scalar(in.type), in.bits);
      break;
    case InstructionKind::number:
      v = kernel_.number(in.id, in.type);
      break;
    case InstructionKind::scalar:
      v = scalar_op(in);
      break;
    case InstructionKind::load:
      v = load(id);
      break;
    case InstructionKind::index_value:
      v = tile_index(in.index[0], in.type);
      break;
    case InstructionKind::to_index:
      v = checked_index(in);
      break;
    case InstructionKind::reduce:
    case InstructionKind::scan:
      throw CompileError("internal: a reduce or scan is read before it is made");
  }
  known_.values.emplace(id, v);
  return v;
}

Value NestEmitter::scalar_op(const loop::Instruction& in) {
  std::vector<Value> operands;
  const auto arity = static_cast<size_t>(scalar::info(in.op).arity);
  for (size_t i = 0; i < arity; ++i) operands.push_back(value(in.operands[i]));
  if (const auto faulty = planted_value(b_, in, operands)) return *faulty;
  if (in.op == loop::ScalarOp::div && in.type == f32 &&
      b_.type(operands[1]).elements() * 4 <= b_.type(operands[0]).elements())
    return shared_division(in, operands[0], operands[1]);
  return b_.scalar(in.op, operands, in.attribute);
}

/// Elements that a value has in a tile: it varies with these axes.
int64_t NestEmitter::elements_of(loop::ValueId id) const {
  int64_t n = 1;
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if ((dependence_[static_cast<size_t>(id)] >> a & 1) != 0) n *= tiling_.axes[a].size;
  return n;
}

/// A dividend x - m of unknown m: if m is shared as well, assuming something of m costs a test for each m, not each x.
Value NestEmitter::shared_division(const loop::Instruction& in, Value x, Value d) {
  const ValueRange d_range = value_ranges_.of(in.operands[1]);
  const ValueRange x_range = value_ranges_.of(in.operands[0]);
  if (is_safe_dividend(x_range)) return divide_by_shared(b_, x, d, x_range, d_range);
  const int64_t elements = b_.type(x).elements();
  ValueRanges assuming(nest_.body, ranges_, [&](loop::ValueId id) { return elements_of(id) * 4 <= elements; });
  const ValueRange assumed_range = assuming.of(in.operands[0]);
  if (!is_safe_dividend(assumed_range)) return divide_by_shared(b_, x, d, x_range, d_range);
  std::vector<Value> assumed;
  for (loop::ValueId id : assuming.assumed()) assumed.push_back(value(id));
  return divide_by_shared(b_, x, d, assumed_range, d_range, assumed);
}

int64_t NestEmitter::elements_per_program() const {
  int64_t n = tiling_.parts;
  for (int32_t d : tiling_.dims) n *= d;
  return n;
}

}  // namespace sinter::schedule
