// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/tile_scan.h"

#include <algorithm>

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
    values.push_back(b_.constant(tile_ir::Type::scalar(c.dtype), c.bits));
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

TileScan::Values TileScan::scan(std::span<const Value> values) {
  Values scanned = all(values);
  scanned.resize(values.size());
  return scanned;
}

TileScan::Step TileScan::step(Value number, Value last, std::span<const Value> values, std::span<const Value> carried) {
  const size_t n = values.size();
  const Values results = all(values);
  Step s{{results.begin(), results.begin() + static_cast<std::ptrdiff_t>(n)}, {carried.begin(), carried.end()}};
  Values end(results.begin() + static_cast<std::ptrdiff_t>(n), results.end());
  Value moving = b_.constant(boolean, 1);
  for (int l = 0; l < levels_; ++l) {
    const std::span<const Value> slot = carried.subspan(static_cast<size_t>(l) * n, n);
    const Value full = b_.ne(b_.bit_and(b_.shr(number, b_.literal(l)), b_.literal(1)), b_.literal(0));
    s.scanned = combined(chosen(full, slot, identity()), s.scanned);
    // The end moves up as long as slots are full, and comes to rest in the first empty one.
    const Values rested = chosen(b_.bit_and(moving, b_.bit_not(full)), end, slot);
    std::ranges::copy(rested, s.carried.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(l) * n));
    end = chosen(full, combined(slot, end), end);
    moving = b_.bit_and(moving, full);
  }
  if (several_chunks_) {
    const std::span<const Value> before = carried.subspan(carried.size() - n);
    s.scanned = combined(before, s.scanned);
    const Values next = chosen(last, combined(before, end), before);
    std::ranges::copy(next, s.carried.end() - static_cast<std::ptrdiff_t>(n));
  }
  return s;
}

}  // namespace sinter::schedule
