// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/tile_scan.h"

#include <algorithm>
#include <utility>

#include "src/graph/seeded_fault.h"

namespace sinter::schedule {

using loop::InstructionKind;
using tile_ir::Value;

TileScan::TileScan(tile_ir::KernelBuilder& b, graph::ScanKind kind, DType type, int dim, int levels,
                   bool several_chunks)
    : b_(b), combine_(loop::scan_combine(kind, type)), dim_(dim), levels_(levels), several_chunks_(several_chunks) {}

size_t TileScan::carried_size() const {
  return combine_.types.size() * static_cast<size_t>(levels_ + (several_chunks_ ? 1 : 0));
}

TileScan::Values TileScan::combined(std::span<const Value> earlier, std::span<const Value> later) {
  Values known(combine_.body.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const loop::Instruction& in = combine_.body[static_cast<loop::ValueId>(i)];
    if (in.kind == InstructionKind::constant) {
      known[i] = b_.constant(tile_ir::Type::scalar(in.type), in.bits);
    } else if (in.kind == InstructionKind::load) {
      const auto k = static_cast<size_t>(in.id);
      known[i] = k < earlier.size() ? earlier[k] : later[k - earlier.size()];
    } else {
      Values operands;
      for (int o = 0; o < scalar::info(in.op).arity; ++o)
        operands.push_back(known[static_cast<size_t>(in.operands[static_cast<size_t>(o)])]);
      known[i] = b_.scalar(in.op, operands, in.attribute);
    }
  }
  Values results;
  for (loop::ValueId v : combine_.results) results.push_back(known[static_cast<size_t>(v)]);
  return results;
}

TileScan::Values TileScan::chosen(Value condition, std::span<const Value> a, std::span<const Value> b) {
  Values results;
  for (size_t k = 0; k < a.size(); ++k) results.push_back(b_.select(condition, a[k], b[k]));
  return results;
}

TileScan::Values TileScan::identity() {
  Values values;
  for (const scalar::Constant& c : combine_.identities)
    values.push_back(b_.constant(tile_ir::Type::scalar(c.dtype), planted(graph::Fault::wrong_identity) ? 0 : c.bits));
  return values;
}

TileScan::Values TileScan::start(const tile_ir::Type& end) {
  Values carried;
  for (size_t slot = 0; slot < carried_size() / combine_.types.size(); ++slot)
    for (const Value v : identity()) carried.push_back(b_.broadcast(v, end));
  return carried;
}

TileScan::Values TileScan::all(std::span<const Value> values) {
  return b_.scan(dim_, values, [&](std::span<const Value> earlier, std::span<const Value> later) {
    return combined(earlier, later);
  });
}

TileScan::Tile TileScan::scan(std::span<const Value> values) {
  const Values results = all(values);
  const auto ends = results.begin() + static_cast<std::ptrdiff_t>(values.size());
  return {{results.begin(), ends}, {ends, results.end()}};
}

TileScan::Values TileScan::before(const Meeting& m, std::span<const Value> end) {
  const Values others = b_.grid_scan(
      m.words, m.places, m.number, m.piece, m.count, end,
      [&](std::span<const Value> earlier, std::span<const Value> later) { return combined(earlier, later); });
  return chosen(b_.eq(m.piece, b_.literal(0)), identity(), others);
}

Value TileScan::is_full(Value number, int slot) {
  return b_.ne(b_.bit_and(b_.shr(number, b_.literal(slot)), b_.literal(1)), b_.literal(0));
}

std::span<const Value> TileScan::slot(std::span<const Value> carried, int slot) const {
  return carried.subspan(static_cast<size_t>(slot) * combine_.types.size(), combine_.types.size());
}

TileScan::Values TileScan::take_in(Value number, std::span<const Value> carried, Values scanned) {
  if (!planted(graph::Fault::lost_carry))
    for (int l = 0; l < levels_; ++l)
      scanned = combined(chosen(is_full(number, l), slot(carried, l), identity()), scanned);
  return several_chunks_ ? combined(slot(carried, levels_), scanned) : scanned;
}

/// The end moves up as long as slots are full, and comes to rest in the first empty one.
TileScan::Values TileScan::carry_on(Value number, Value last, std::span<const Value> carried, Values end) {
  Values next;
  Value moving = b_.constant(boolean, 1);
  for (int l = 0; l < levels_; ++l) {
    const Value full = is_full(number, l);
    const Values rested = chosen(b_.bit_and(moving, b_.bit_not(full)), end, slot(carried, l));
    next.insert(next.end(), rested.begin(), rested.end());
    end = chosen(full, combined(slot(carried, l), end), end);
    moving = b_.bit_and(moving, full);
  }
  if (!several_chunks_) return next;
  const std::span<const Value> before = slot(carried, levels_);
  const Values all = chosen(last, combined(before, end), before);
  next.insert(next.end(), all.begin(), all.end());
  return next;
}

}  // namespace sinter::schedule
