// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/nest_emitter.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

namespace sinter::schedule {

using graph::Expr;
using loop::InstructionKind;
using tile::Index;
using tile::Value;

namespace {

graph::Ranges with_axes(const loop::Program& p, const loop::Nest& nest) {
  graph::Ranges r = p.ranges;
  for (size_t a = 0; a < nest.axes.size(); ++a) r.set_axis_extent(static_cast<int>(a), nest.axes[a].extent);
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const loop::Instruction& in = nest.body[static_cast<loop::ValueId>(i)];
    if (in.kind == InstructionKind::to_index)
      r.set_value(static_cast<int>(i), 0, std::max<int64_t>(0, r.of(in.index[0]).second - 1));
  }
  return r;
}

int alignment_of(const loop::Buffer& b, const Target& t) {
  return b.role != loop::BufferRole::input || t.aligned ? 16 : b.dtype.bytes();
}

}  // namespace

NestEmitter::NestEmitter(const loop::Program& program, const loop::Nest& nest, const Tiling& tiling,
                         const Target& target, const std::string& name)
    : program_(program),
      nest_(nest),
      tiling_(tiling),
      target_(target),
      ranges_(with_axes(program, nest)),
      b_(name),
      origins_(nest.axes.size()) {}

int NestEmitter::pointer(int buffer, bool written) {
  const auto it = pointers_.find(buffer);
  if (it != pointers_.end()) return it->second;
  const loop::Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
  const char* role = b.role == loop::BufferRole::input ? "in" : b.role == loop::BufferRole::output ? "out" : "temp";
  const int p = b_.add_pointer(fmt::format("{}{}", role, b.position), b.dtype,
                               {.written = written, .no_alias = true, .alignment = alignment_of(b, target_)});
  sources_.push_back({ParameterSource::Kind::buffer, buffer, {}, b.dtype});
  pointers_.emplace(buffer, p);
  return p;
}

int NestEmitter::status_pointer() {
  if (status_ < 0) {
    status_ = b_.add_pointer("status", u64, {.written = true, .no_alias = true, .alignment = 8});
    sources_.push_back({ParameterSource::Kind::status, -1, {}, u64});
  }
  return status_;
}

Value NestEmitter::scalar_of(Expr e) {
  if (const auto it = scalars_.find(e); it != scalars_.end()) return it->second;
  Value v;
  if (const auto c = e.constant()) {
    v = b_.literal(*c);
  } else if (e.kind() == Expr::Kind::symbol) {
    const auto [at, added] = extents_.try_emplace(e.id(), -1);
    if (added) {
      at->second = b_.add_scalar(fmt::format("s{}", e.id()), i64);
      sources_.push_back({ParameterSource::Kind::index, -1, e, i64});
    }
    v = b_.parameter(at->second);
  } else if (e.kind() == Expr::Kind::axis) {
    v = *origins_[static_cast<size_t>(e.id())];
    return v;  // changes with the origin
  } else if (e.kind() == Expr::Kind::sum) {
    v = b_.literal(e.offset());
    bool first = e.offset() == 0;
    for (const auto& [c, t] : e.terms()) {
      const Value term = c == 1 ? scalar_of(t) : b_.mul(scalar_of(t), b_.literal(c));
      v = first ? term : b_.add(v, term);
      first = false;
    }
  } else if (e.kind() == Expr::Kind::product) {
    v = scalar_of(e.operands()[0]);
    for (Expr f : e.operands().subspan(1)) v = b_.mul(v, scalar_of(f));
  } else {
    const Value x = scalar_of(e.operands()[0]), y = scalar_of(e.operands()[1]);
    if (e.kind() == Expr::Kind::min || e.kind() == Expr::Kind::max) {
      v = e.kind() == Expr::Kind::min ? b_.min(x, y) : b_.max(x, y);
    } else {
      const Value zero = b_.literal(0);
      Value r = b_.irem(x, y);
      const bool exact = ranges_.of(e.operands()[0]).first >= 0;
      if (!exact) r = b_.select(b_.lt(r, zero), b_.add(r, y), r);
      v = e.kind() == Expr::Kind::mod ? r : exact ? b_.idiv(x, y) : b_.idiv(b_.sub(x, r), y);
    }
  }
  bool fixed = true;
  graph::visit_leaves(e, [&](Expr l) { fixed = fixed && l.kind() == Expr::Kind::symbol; });
  if (fixed) scalars_.emplace(e, v);
  return v;
}

Index NestEmitter::index_of(Expr e) {
  if (const auto c = e.constant()) return Index(*c);
  return Index(scalar_of(e));
}

Expr NestEmitter::decode_program_id() {
  Expr grid = int64_t{1};
  const Value pid = b_.program_id();
  std::vector<std::pair<size_t, Expr>> counts;
  for (size_t a = 0; a < nest_.axes.size(); ++a) {
    const AxisPlace& p = tiling_.axes[a];
    if (nest_.axes[a].reduction) continue;
    if (p.kind == AxisPlace::Kind::parts) {
      origins_[a] = b_.literal(0);
      continue;
    }
    const Expr count = graph::simplify(graph::ceildiv(nest_.axes[a].extent, Expr(int64_t{p.size})), ranges_);
    counts.emplace_back(a, count);
    grid = grid * count;
  }
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
  return grid;
}

void NestEmitter::set_origin(size_t axis, Value origin) { origins_[axis] = origin; }

void NestEmitter::forget_axis(size_t axis) {
  std::vector<bool> depends(nest_.body.size());
  for (size_t i = 0; i < nest_.body.size(); ++i) {
    const loop::Instruction& in = nest_.body[static_cast<loop::ValueId>(i)];
    bool d = false;
    for (loop::ValueId o : in.operands) d = d || (o >= 0 && depends[static_cast<size_t>(o)]);
    for (Expr e : in.index)
      graph::visit_leaves(e, [&](Expr l) {
        d = d || (l.kind() == Expr::Kind::axis && l.id() == static_cast<int>(axis)) ||
            (l.kind() == Expr::Kind::value && depends[static_cast<size_t>(l.id())]);
      });
    depends[i] = d;
    if (d) values_.erase(static_cast<loop::ValueId>(i));
  }
}

tile::Type NestEmitter::shape_of_axis(size_t axis) const {
  const AxisPlace& p = tiling_.axes[axis];
  std::vector<int32_t> dims(tiling_.dims.size(), 1);
  if (p.kind == AxisPlace::Kind::tile) dims[static_cast<size_t>(p.dim)] = p.size;
  return tile::Type::tile(i32, dims, p.kind == AxisPlace::Kind::parts ? p.size : 1);
}

bool NestEmitter::needs_mask(size_t axis) const {
  const AxisPlace& p = tiling_.axes[axis];
  if (p.kind != AxisPlace::Kind::tile || p.size == 1) return false;
  const auto extent = nest_.axes[axis].extent.constant();
  return !extent || *extent % p.size != 0;
}

std::optional<Value> NestEmitter::inside(size_t axis) {
  if (!needs_mask(axis)) return std::nullopt;
  const Value c = axis_value(axis, i64);
  return b_.lt(c, scalar_of(nest_.axes[axis].extent));
}

Value NestEmitter::axis_value(size_t axis, DType t) {
  const AxisPlace& p = tiling_.axes[axis];
  const Value origin = *origins_[axis];
  const auto in_type = [&](Value v, DType from) { return from == t ? v : b_.convert(v, t); };
  if (p.kind == AxisPlace::Kind::scalar || (p.kind == AxisPlace::Kind::tile && p.size == 1))
    return in_type(origin, i64);
  const Value lanes = b_.iota(p.kind == AxisPlace::Kind::parts ? tile::parts_dim : p.dim, shape_of_axis(axis));
  if (p.kind == AxisPlace::Kind::parts) return in_type(lanes, i32);
  return b_.add(in_type(lanes, i32), in_type(origin, i64));
}

/// Integers of index expressions: every intermediate fits the offset type by choice of it.
Value NestEmitter::tile_index(Expr e, DType t) {
  bool uniform = true;
  graph::visit_leaves(e, [&](Expr l) {
    if (l.kind() == Expr::Kind::value) uniform = false;
    if (l.kind() == Expr::Kind::axis) {
      const AxisPlace& p = tiling_.axes[static_cast<size_t>(l.id())];
      uniform = uniform && (p.kind == AxisPlace::Kind::scalar || (p.kind == AxisPlace::Kind::tile && p.size == 1));
    }
  });
  if (uniform) {
    const Value v = scalar_of(e);
    return t == i64 ? v : b_.convert(v, t);
  }
  switch (e.kind()) {
    case Expr::Kind::axis:
      return axis_value(static_cast<size_t>(e.id()), t);
    case Expr::Kind::value: {
      const Value v = value(e.id());
      return t == i64 ? v : b_.convert(v, t);
    }
    case Expr::Kind::sum: {
      // Uniform terms are added up as one scalar, tile terms after it.
      Expr scalar_part = e.offset();
      std::optional<Value> sum;
      for (const auto& [c, term] : e.terms()) {
        bool tiled = false;
        graph::visit_leaves(term, [&](Expr l) {
          if (l.kind() == Expr::Kind::value) tiled = true;
          if (l.kind() == Expr::Kind::axis) {
            const AxisPlace& p = tiling_.axes[static_cast<size_t>(l.id())];
            tiled = tiled || !(p.kind == AxisPlace::Kind::scalar || (p.kind == AxisPlace::Kind::tile && p.size == 1));
          }
        });
        if (!tiled) {
          scalar_part = scalar_part + Expr(c) * term;
          continue;
        }
        Value v = tile_index(term, t);
        if (c != 1) v = b_.mul(v, b_.constant(t, static_cast<double>(c)));
        sum = sum ? b_.add(*sum, v) : v;
      }
      if (scalar_part.is_constant(0)) return *sum;
      const Value s = scalar_of(scalar_part);
      return b_.add(*sum, t == i64 ? s : b_.convert(s, t));
    }
    case Expr::Kind::product: {
      Value v = tile_index(e.operands()[0], t);
      for (Expr f : e.operands().subspan(1)) v = b_.mul(v, tile_index(f, t));
      return v;
    }
    case Expr::Kind::min:
      return b_.min(tile_index(e.operands()[0], t), tile_index(e.operands()[1], t));
    case Expr::Kind::max:
      return b_.max(tile_index(e.operands()[0], t), tile_index(e.operands()[1], t));
    default:
      return divide(e, t);
  }
}

Value NestEmitter::divide(Expr e, DType t) {
  const Value x = tile_index(e.operands()[0], t), y = tile_index(e.operands()[1], t);
  const bool exact = ranges_.of(e.operands()[0]).first >= 0;
  if (exact) return e.kind() == Expr::Kind::mod ? b_.irem(x, y) : b_.idiv(x, y);
  const Value rem = b_.irem(x, y);
  const Value floor_rem = b_.select(b_.lt(rem, b_.constant(t, 0)), b_.add(rem, y), rem);
  return e.kind() == Expr::Kind::mod ? floor_rem : b_.idiv(b_.sub(x, floor_rem), y);
}

DType NestEmitter::offset_type(Expr address) const {
  // Every subexpression is computed in the type, so each must fit, not only the sum.
  bool fits = true;
  const std::function<void(Expr)> visit = [&](Expr e) {
    const auto [lo, hi] = ranges_.of(e);
    fits = fits && lo > -target_.narrow_index_limit && hi < target_.narrow_index_limit;
    for (Expr o : e.operands()) visit(o);
  };
  visit(address);
  for (const auto& [c, t] : address.terms()) {
    const auto [lo, hi] = ranges_.of(Expr(c) * t);
    fits = fits && lo > -target_.narrow_index_limit && hi < target_.narrow_index_limit;
  }
  return fits ? i32 : i64;
}

tile::Access NestEmitter::access(Expr base, const AxisStrides& strides, std::vector<int32_t>& dims, int32_t& parts) {
  tile::Access a;
  dims.assign(tiling_.dims.size(), 1);
  a.dims.assign(tiling_.dims.size(), tile::along(0, 0));
  a.parts = tile::along(0, 0);
  parts = 1;
  for (size_t x = 0; x < nest_.axes.size(); ++x) {
    const Expr stride = *strides[x];
    if (stride.is_constant(0)) continue;
    const AxisPlace& p = tiling_.axes[x];
    if (p.kind == AxisPlace::Kind::parts) {
      a.parts = tile::along(0, index_of(stride));
      parts = p.size;
    } else if (p.kind == AxisPlace::Kind::tile && p.size > 1) {
      const auto d = static_cast<size_t>(p.dim);
      dims[d] = p.size;
      a.dims[d] = needs_mask(x) ? tile::along(Index(*origins_[x]), index_of(stride), index_of(nest_.axes[x].extent))
                                : tile::along(Index(*origins_[x]), index_of(stride));
    } else {
      base = base + stride * Expr::axis(static_cast<int>(x));
    }
  }
  a.base = index_of(base);
  return a;
}

namespace {

/// Part of an address that no axis moves.
Expr base_of(Expr address, const AxisStrides& strides) {
  Expr base = address;
  for (size_t a = 0; a < strides.size(); ++a) base = base - *strides[a] * Expr::axis(static_cast<int>(a));
  return base;
}

bool affine(Expr address, const AxisStrides& strides) {
  for (const auto& s : strides)
    if (!s) return false;
  bool ok = true;
  graph::visit_leaves(base_of(address, strides), [&](Expr l) { ok = ok && l.kind() == Expr::Kind::symbol; });
  return ok;
}

}  // namespace

Value NestEmitter::load(const loop::Instruction& in) {
  const int p = pointer(in.id, false);
  const Expr address = in.index[0];
  const AxisStrides strides = axis_strides(address, nest_.axes.size());
  if (in.operands[0] >= 0 || !affine(address, strides)) return gather(in, p);
  std::vector<int32_t> dims;
  int32_t parts = 1;
  const tile::Access a = access(base_of(address, strides), strides, dims, parts);
  bool masked = a.parts.masked;
  for (const auto& d : a.dims) masked = masked || d.masked;
  const Value fill = masked ? b_.constant(in.type, 0) : Value{};
  return b_.block_load(p, a, dims, parts, fill, tile::CachePolicy::streaming);
}

std::optional<Value> NestEmitter::conjunction(std::optional<Value> a, Value v) { return a ? b_.bit_and(*a, v) : v; }

Value NestEmitter::gather(const loop::Instruction& in, int p) {
  const Expr address = in.index[0];
  const DType t = offset_type(address);
  Value offset = tile_index(address, t);
  std::optional<Value> mask;
  if (in.operands[0] >= 0) mask = value(in.operands[0]);
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if (const auto m = inside(a)) mask = conjunction(mask, *m);
  const Value fill = in.operands[1] >= 0 ? value(in.operands[1]) : b_.constant(in.type, 0);
  tile::Type shape = b_.type(offset);
  if (!shape.is_tile) {
    shape = tile::Type::tile(t, std::vector<int32_t>(tiling_.dims.size(), 1));
    offset = b_.broadcast(offset, shape);
  }
  if (!mask) return b_.gather(p, offset);
  // Offsets, mask and fill need one shape: adding a zero of the mask's shape spreads the offsets.
  const Value zero = b_.select(*mask, b_.constant(t, 0), b_.constant(t, 0));
  offset = b_.add(offset, zero);
  const tile::Type full = b_.type(offset);
  const Value m = b_.type(*mask).with(t) == full ? *mask : b_.broadcast(*mask, full.with(boolean));
  const tile::Type fill_type = b_.type(fill);
  const Value f = fill_type.is_tile && !(fill_type.with(t) == full) ? b_.broadcast(fill, full.with(in.type)) : fill;
  return b_.gather(p, offset, m, f);
}

Value NestEmitter::checked_index(const loop::Instruction& in) {
  const Value v = value(in.operands[0]);
  const Value bound = scalar_of(in.index[0]), zero = b_.literal(0);
  if (in.mode == loop::IndexMode::clamp) return b_.max(b_.min(v, b_.sub(bound, b_.literal(1))), zero);
  const Value wrapped = b_.select(b_.lt(v, zero), b_.add(v, bound), v);
  const Value good = b_.bit_and(b_.le(zero, wrapped), b_.lt(wrapped, bound));
  Value bad = b_.bit_not(good);
  if (in.operands[1] >= 0) bad = b_.bit_and(bad, value(in.operands[1]));
  for (size_t a = 0; a < nest_.axes.size(); ++a)
    if (const auto m = inside(a)) bad = b_.bit_and(bad, *m);
  b_.status_check(status_pointer(), bad, static_cast<uint64_t>(in.id) + 1);
  return b_.select(good, wrapped, zero);
}

Value NestEmitter::value(loop::ValueId id) {
  if (const auto it = values_.find(id); it != values_.end()) return it->second;
  const loop::Instruction& in = nest_.body[id];
  Value v;
  switch (in.kind) {
    case InstructionKind::constant:
      v = b_.constant(tile::Type::scalar(in.type), in.bits);
      break;
    case InstructionKind::number: {
      const int type_code = static_cast<int>(in.type.kind()) * 256 + in.type.bits();
      const auto [at, added] = numbers_.try_emplace({in.id, type_code}, -1);
      if (added) {
        at->second = b_.add_scalar(fmt::format("n{}", in.id), in.type);
        sources_.push_back({ParameterSource::Kind::number, in.id, {}, in.type});
      }
      v = b_.parameter(at->second);
      break;
    }
    case InstructionKind::scalar:
      v = scalar_op(in);
      break;
    case InstructionKind::load:
      v = load(in);
      break;
    case InstructionKind::index_value:
      v = tile_index(in.index[0], in.type);
      break;
    case InstructionKind::to_index:
      v = checked_index(in);
      break;
    case InstructionKind::reduce:  // all its axes had extent 1: one element, folded with nothing
      v = value(in.operands[0]);
      break;
  }
  values_.emplace(id, v);
  return v;
}

/// x is +0 or between 1 and 2^32: converted from an unsigned value, or from an index that is never negative.
bool NestEmitter::nonnegative_small(loop::ValueId id) const {
  const loop::Instruction& in = nest_.body[id];
  if (in.kind != InstructionKind::scalar || in.op != loop::ScalarOp::convert) return false;
  const loop::Instruction& from = nest_.body[in.operands[0]];
  if (from.kind == InstructionKind::index_value) {
    const auto [lo, hi] = ranges_.of(from.index[0]);
    return lo >= 0 && hi < (int64_t{1} << 32);
  }
  return from.type == u32;
}

/// A positive literal well inside the range where the correction of a quotient is exact.
bool NestEmitter::moderate_literal(loop::ValueId id) const {
  const loop::Instruction& in = nest_.body[id];
  if (in.kind != InstructionKind::constant || in.type != f32) return false;
  const double v = scalar::as_double({in.type, in.bits});
  return v >= 0x1p-60 && v <= 0x1p60;
}

Value NestEmitter::scalar_op(const loop::Instruction& in) {
  std::vector<Value> operands;
  const auto arity = static_cast<size_t>(scalar::info(in.op).arity);
  for (size_t i = 0; i < arity; ++i) operands.push_back(value(in.operands[i]));
  if (in.op == loop::ScalarOp::div && in.type == f32 && target_.cuda &&
      b_.type(operands[1]).elements() * 4 <= b_.type(operands[0]).elements())
    return divide_by_invariant(operands[0], operands[1], nonnegative_small(in.operands[0]),
                               moderate_literal(in.operands[1]));
  return b_.scalar(in.op, operands, in.attribute);
}

/// x / d with the bits of IEEE division, for a divisor that many x share: r = 1/d rounded, q = x r, corrected once by
/// the exact remainder (Markstein, IBM J. Res. Dev. 34, 1990: with r correctly rounded the corrected quotient is
/// correctly rounded, as long as nothing under- or overflows on the way). Lanes outside the safe ranges, zeros among
/// them (the correction loses the sign of -0), take the true division.
Value NestEmitter::divide_by_invariant(Value x, Value d, bool x_is_safe, bool d_is_safe) {
  const Value one = b_.constant(f32, 1);
  const Value r = b_.div(one, d);
  const Value q = b_.mul(x, r);
  const Value rest = b_.fma(b_.neg(q), d, x);
  const Value fast = b_.fma(rest, r, q);
  // 2^-60 <= |v| <= 2^60, as one unsigned comparison of the magnitude's bits.
  const auto unsafe = [&](Value v) {
    const Value magnitude = b_.bit_and(b_.bitcast(v, u32), b_.constant(u32, 0x7fffffff));
    const Value shifted = b_.sub(magnitude, b_.constant(u32, double{0x21800000}));
    return b_.lt(b_.constant(u32, double{0x5d800000 - 0x21800000}), shifted);
  };
  if (x_is_safe && d_is_safe) return fast;
  const Value rare = x_is_safe ? unsafe(d) : d_is_safe ? unsafe(x) : b_.bit_or(unsafe(x), unsafe(d));
  return b_.rare(rare, fast, b_.div(x, d));
}

void NestEmitter::store(const loop::Store& s) {
  const int p = pointer(s.buffer, true);
  const Expr address = s.index[0];
  const AxisStrides strides = axis_strides(address, nest_.axes.size());
  if (!affine(address, strides)) throw CompileError("internal: a store whose address is not affine");
  std::vector<int32_t> dims;
  int32_t parts = 1;
  const tile::Access a = access(base_of(address, strides), strides, dims, parts);
  Value v = value(s.value);
  const tile::Type full = tile::Type::tile(b_.type(v).dtype, dims, parts);
  if (!(b_.type(v) == full)) v = b_.broadcast(v, full);
  b_.block_store(p, a, v, tile::CachePolicy::streaming);
}

ScheduledKernel NestEmitter::finish(Expr grid, const std::vector<std::string>& comments, int num_warps) {
  ScheduledKernel k;
  b_.kernel().comments = comments;
  b_.kernel().num_warps = num_warps;
  k.kernel = b_.finish();
  k.grid = grid;
  k.sources = std::move(sources_);
  int64_t n = tiling_.parts;
  for (int32_t d : tiling_.dims) n *= d;
  k.elements_per_program = n;
  return k;
}

}  // namespace sinter::schedule
