// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>

#include "codegen/schedule/nest_emitter.h"
#include "src/graph/seeded_fault.h"

namespace sinter::schedule {

using graph::Expr;
using loop::InstructionKind;
using tile_ir::Index;
using tile_ir::Value;

namespace {

/// Results at least this large leave the caches before they are read again.
constexpr int64_t streamed_bytes = int64_t{16} << 20;

/// Part of an address that no axis moves.
Expr base_of(Expr address, const AxisStrides& strides) {
  Expr base = address;
  for (size_t a = 0; a < strides.size(); ++a) base = base - *strides[a] * Expr::axis(static_cast<int>(a));
  return base;
}

bool is_affine(Expr address, const AxisStrides& strides) {
  for (const auto& s : strides)
    if (!s) return false;
  bool symbols = true;
  visit_leaves(base_of(address, strides), [&](Expr leaf) { symbols = symbols && leaf.kind() == Expr::Kind::symbol; });
  return symbols;
}

}  // namespace

/// An axis of a box: coordinates count from the lower bound, which moves the base.
tile_ir::AccessDim NestEmitter::along(size_t axis, Expr stride, const AxisBounds& bounds, Expr& base) {
  const Expr lo = bounds.lo ? max(*bounds.lo, 0) : Expr(0), extent = nest_.axes[axis].extent;
  const bool parts = tiling_.axes[axis].kind == AxisPlace::Kind::parts;
  const Value origin = parts ? b_.literal(0) : *origins_[axis];
  base = base + stride * lo;
  const Index start = lo.is_constant(0) ? (parts ? Index(0) : Index(origin))
                      : parts           ? index_of(Expr(0) - lo)
                                        : Index(b_.sub(origin, scalar_of(lo)));
  if (!bounds.bounded() && !needs_mask(axis)) return tile_ir::along(start, index_of(stride));
  const Expr hi = bounds.hi ? min(*bounds.hi, extent) : extent;
  return tile_ir::along(start, index_of(stride), index_of(simplify(hi - lo, ranges_)));
}

NestEmitter::Box NestEmitter::box(Expr address, const AxisStrides& strides, const std::vector<AxisBounds>& bounds) {
  Box box;
  box.dims.assign(tiling_.dims.size(), 1);
  box.access.dims.assign(tiling_.dims.size(), tile_ir::along(0, 0));
  box.access.parts = tile_ir::along(0, 0);
  Expr base = base_of(address, strides);
  std::optional<Value> inside;  // of axes without a tile
  for (size_t x = 0; x < nest_.axes.size(); ++x) {
    const Expr stride = *strides[x];
    const AxisPlace& p = tiling_.axes[x];
    if (stride.is_constant(0) && !bounds[x].bounded()) continue;
    if (p.kind == AxisPlace::Kind::parts) {
      box.access.parts = along(x, stride, bounds[x], base);
      box.parts = p.size;
    } else if (has_tile(x)) {
      box.access.dims[static_cast<size_t>(p.dim)] = along(x, stride, bounds[x], base);
      box.dims[static_cast<size_t>(p.dim)] = p.size;
    } else {
      base = base + stride * Expr::axis(static_cast<int>(x));
      if (needs_mask(x)) inside = conjunction(inside, b_.lt(*origins_[x], scalar_of(nest_.axes[x].extent)));
      if (bounds[x].lo) inside = conjunction(inside, b_.le(scalar_of(*bounds[x].lo), *origins_[x]));
      if (bounds[x].hi) inside = conjunction(inside, b_.lt(*origins_[x], scalar_of(*bounds[x].hi)));
    }
  }
  if (inside) {  // a uniform mask: where it is false, the last dim has no extent
    tile_ir::AccessDim& d = box.access.dims.back();
    const Value origin = d.origin.is_literal() ? b_.literal(d.origin.literal) : Value{d.origin.value};
    const Value extent = !d.masked               ? b_.add(origin, b_.literal(box.dims.back()))
                         : d.extent.is_literal() ? b_.literal(d.extent.literal)
                                                 : Value{d.extent.value};
    d = tile_ir::along(Index(origin), static_cast<const Index&>(d.stride),
                       Index(b_.select(*inside, extent, b_.literal(0))));
  }
  box.access.base = index_of(base);
  box.access.alignment = promised_alignment(address, strides);
  return box;
}

/// A tile starts at a boundary where its rows lie as those do by which the tiles are placed.
int32_t NestEmitter::promised_alignment(Expr address, const AxisStrides& strides) const {
  if (!tiling_.phase || !is_in_phase(*tiling_.phase, address, strides)) return 1;
  return tiling_.phase->vector;
}

Value NestEmitter::load(loop::ValueId id) {
  const loop::Instruction& in = nest_.body[id];
  const AxisStrides strides = axis_strides(in.index[0], nest_.axes.size());
  if (!is_affine(in.index[0], strides)) return gather(in);
  const bool loses_mask = planted(graph::Fault::load_out_of_mask) &&  // tests only
                          kernel_.program().buffers[static_cast<size_t>(in.id)].role == loop::BufferRole::input;
  if (in.operands[0] < 0 || loses_mask) return block_load(id, strides, std::vector<AxisBounds>(nest_.axes.size()));
  const auto bounds = mask_as_box(nest_, in.operands[0]);
  const bool uniform_fill = !b_.type(value(in.operands[1])).is_tile;
  const bool uniform_bounds = bounds && std::ranges::all_of(*bounds, [&](const AxisBounds& b) {
                                return is_uniform(b.lo.value_or(0)) && is_uniform(b.hi.value_or(0));
                              });
  return uniform_bounds && uniform_fill ? block_load(id, strides, *bounds) : gather(in);
}

Value NestEmitter::block_load(loop::ValueId id, const AxisStrides& strides, const std::vector<AxisBounds>& bounds) {
  const loop::Instruction& in = nest_.body[id];
  const int p = kernel_.pointer(in.id, false);
  Box box = this->box(in.index[0], strides, bounds);
  if (const auto run = runs_.find(id); run != runs_.end()) box.access.run = run->second;
  Value fill;
  if (box.access.is_masked()) fill = in.operands[1] >= 0 ? value(in.operands[1]) : b_.constant(in.type, 0);
  return b_.block_load(p, std::move(box.access), std::move(box.dims), box.parts, fill);
}

void NestEmitter::stage(loop::ValueId load, const tile_ir::Run& run, Value count) {
  const loop::Instruction& in = nest_.body[load];
  const AxisStrides strides = axis_strides(in.index[0], nest_.axes.size());
  const tile_ir::IndexOperand base = box(in.index[0], strides, std::vector<AxisBounds>(nest_.axes.size())).access.base;
  b_.stage(run, kernel_.pointer(in.id, false), base.is_literal() ? b_.literal(base.literal) : Value{base.value}, count);
  runs_.emplace(load, run.number);
}

/// Large outputs are not read again soon.
tile_ir::CachePolicy NestEmitter::store_policy(const loop::Buffer& buffer) const {
  const auto elements = buffer.shape[0].constant();
  const bool large = elements && *elements * buffer.dtype.bytes() >= streamed_bytes;
  return large ? tile_ir::CachePolicy::streaming : tile_ir::CachePolicy::standard;
}

Value NestEmitter::gather(const loop::Instruction& in) {
  const int p = kernel_.pointer(in.id, false);
  const Expr address = in.index[0];
  const DType t = offset_type(address);
  Value offset = tile_index(address, t);
  if (planted(graph::Fault::narrow_offset)) offset = b_.bit_and(offset, b_.constant(t, 255));  // tests only
  std::optional<Value> mask;
  loop::AxisSet axes = loop::axes_of(address, dependence_);
  if (in.operands[0] >= 0) {
    mask = value(in.operands[0]);
    axes |= dependence_[static_cast<size_t>(in.operands[0])];
  }
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if ((axes >> a & 1) != 0)
      if (const auto m = inside(a)) mask = conjunction(mask, *m);
  if (!b_.type(offset).is_tile)
    offset = b_.broadcast(offset, tile_ir::Type::tile(t, std::vector<int32_t>(tiling_.dims.size(), 1)));
  if (!mask) return b_.gather(p, offset);
  const Value fill = in.operands[1] >= 0 ? value(in.operands[1]) : b_.constant(in.type, 0);
  // Offsets, mask and fill get one shape.
  const auto stretch = [&](tile_ir::Type a, const tile_ir::Type& b) {
    if (!b.is_tile) return a;
    a.parts = std::max(a.parts, b.parts);
    for (size_t d = 0; d < a.dims.size(); ++d) a.dims[d] = std::max(a.dims[d], b.dims[d]);
    return a;
  };
  const tile_ir::Type full = stretch(stretch(b_.type(offset), b_.type(*mask)), b_.type(fill));
  const Value spread_fill = b_.type(fill).is_tile ? b_.broadcast(fill, full) : fill;
  return b_.gather(p, b_.broadcast(offset, full), b_.broadcast(*mask, full), spread_fill);
}

/// Every point of the tile is stored, also those that are alike along an axis.
void NestEmitter::accumulate(const loop::Store& s) {
  const int p = kernel_.pointer(s.buffer, true);
  const DType t = offset_type(s.index[0]);
  const tile_ir::Type full = tile_ir::Type::tile(t, tiling_.dims, tiling_.parts);
  std::optional<Value> mask;
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if (const auto m = inside(a)) mask = conjunction(mask, *m);
  const Value offset = b_.broadcast(tile_index(s.index[0], t), full);
  b_.scatter(p, offset, value(s.value), mask.value_or(Value{}), s.fold, table_);
}

void NestEmitter::store(const loop::Store& s) {
  if (s.fold) return accumulate(s);
  const int p = kernel_.pointer(s.buffer, true);
  const AxisStrides strides = axis_strides(s.index[0], nest_.axes.size());
  if (!is_affine(s.index[0], strides)) throw CompileError("internal: a store whose address is not affine");
  Box box = this->box(s.index[0], strides, std::vector<AxisBounds>(nest_.axes.size()));
  const Value v = value(s.value);
  const tile_ir::Type full = tile_ir::Type::tile(b_.type(v).dtype, box.dims, box.parts);
  b_.block_store(p, std::move(box.access), b_.broadcast(v, full),
                 store_policy(kernel_.program().buffers[static_cast<size_t>(s.buffer)]));
}

}  // namespace sinter::schedule
