// SPDX-License-Identifier: Apache-2.0
// Large tiles: runs of elementwise instructions become one loop over windows of a few chunks.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/block_access.h"
#include "codegen/llvm/emit_loop.h"
#include "codegen/llvm/emitter.h"

namespace sinter::llvm_codegen {

using tile_ir::Op;

namespace {

constexpr int max_window_chunks = 4;
constexpr int window_budget = 64;  // instructions times chunks

bool reads(const Instruction& i) { return i.op == Op::block_load || i.op == Op::gather; }
bool writes(const Instruction& i) {
  return i.op == Op::block_store || i.op == Op::scatter || i.op == Op::status_check || i.op == Op::arrive;
}

bool may_overlap(const tile_ir::Kernel& kernel, int p, int q) {
  if (p == q) return true;
  const tile_ir::Parameter &a = kernel.parameters[static_cast<size_t>(p)],
                           &b = kernel.parameters[static_cast<size_t>(q)];
  return !(a.no_alias && b.written) && !(b.no_alias && a.written);
}

/// Whose tile an instruction without a result works on; -1: it is the result.
ValueId worked_on(const Instruction& i) { return i.op == Op::keep ? i.operands[1] : writes(i) ? i.operands[0] : -1; }

/// Must all of `first` happen before any of `second`? Equal boxes meet element by element, so their order within a
/// window is enough.
bool conflict(const tile_ir::Kernel& kernel, const Instruction& first, const Instruction& second) {
  const bool access = (reads(first) || writes(first)) && (reads(second) || writes(second));
  if (!access || (reads(first) && reads(second)) || !may_overlap(kernel, first.index, second.index)) return false;
  return !(first.access && second.access && first.index == second.index && *first.access == *second.access);
}

/// Stands for the number of the source element by bit of the result's lane number; -1: stretched.
std::vector<int> source_bits(const tile_ir::Type& from, const tile_ir::Type& to) {
  std::vector<int> bits;
  int next = 0;
  for (int d = to.rank; d-- > 0;) {
    const auto dim = static_cast<size_t>(d);
    for (int bit = 0; bit < log2_of(to.dims[dim]); ++bit) bits.push_back(from.dims[dim] == to.dims[dim] ? next++ : -1);
  }
  return bits;
}

}  // namespace

bool KernelEmitter::broadcasts_by_window(const Instruction& i) const {
  const tile_ir::Type& from = type_of(i.operands[0]);
  if (from.elements() == 1) return true;
  const std::vector<int> bits = source_bits(from, i.type);
  const int lane_bits = log2_of(chunk_lanes(i.type));
  const auto low_end = bits.begin() + lane_bits;
  return std::all_of(bits.begin(), low_end, [](int bit) { return bit < 0; }) ||
         std::all_of(bits.begin(), low_end, [](int bit) { return bit >= 0; });
}

const tile_ir::Type& KernelEmitter::shape_of(const Instruction& i) const {
  const ValueId v = worked_on(i);
  return v < 0 ? i.type : type_of(v);
}

bool KernelEmitter::works_by_window(const Instruction& i) const {
  const tile_ir::Type& shape = shape_of(i);
  if (!is_large(shape)) return false;
  switch (i.op) {
    case Op::constant:
    case Op::iota:
    case Op::scalar:
    case Op::gather:
    case Op::scatter:
    case Op::status_check:
    case Op::keep:
    case Op::recall:
      return true;
    case Op::broadcast:
      return broadcasts_by_window(i);
    case Op::block_load:
    case Op::block_store:
      return moves_by_chunk(frame_, i, shape, is_masked(i));
    default:
      return false;
  }
}

/// The longest run from `at` on that can share a loop; `at` becomes its last instruction.
KernelEmitter::Group KernelEmitter::window_group(const Region& r, size_t& at, const RareParts& rare,
                                                 const Done& done) const {
  const auto elements_of = [&](const Instruction& i) {
    const tile_ir::Type& t = shape_of(i);
    return std::pair(t.parts, t.part_elements());
  };
  Group group{&r.body[at]};
  for (size_t k = at + 1; k < r.body.size(); ++k) {
    const Instruction& i = r.body[k];
    if (done.count(&i) || rare.is_deferred(i)) continue;
    if (!works_by_window(i) || elements_of(i) != elements_of(*group[0])) break;
    if (std::any_of(group.begin(), group.end(), [&](const Instruction* g) { return conflict(frame_.kernel(), *g, i); }))
      break;
    group.push_back(&i);
    at = k;
  }
  return group;
}

/// Small tiles that the windows read at changing places go to memory before the loop.
void KernelEmitter::spill_sources(const Group& group) {
  spilled_.clear();
  for (const Instruction* i : group) {
    if (i->op != Op::broadcast) continue;
    const ValueId source = i->operands[0];
    const tile_ir::Type& t = type_of(source);
    if (t.elements() == 1 || is_large(t) || spilled_.count(source)) continue;
    const TileBuffer buffer = TileBuffer::make(b_, frame_, t.dtype, t.elements());
    buffer.store_all(stored(source));
    spilled_[source] = buffer.pointer();
  }
}

void KernelEmitter::emit_windows(const Region& r, const Group& group, const RareParts& rare, const Done& done) {
  Uses all, own;
  for (const Instruction& i : r.body) count_uses(i, all);
  Group emitted = group;  // with the slow parts
  for (const Instruction* i : group) emitted.insert(emitted.end(), rare.of(*i).begin(), rare.of(*i).end());
  for (const Instruction* i : emitted) count_uses(*i, own);
  std::vector<std::pair<ValueId, TileBuffer>> kept;
  for (const Instruction* i : group)
    for (const ValueId v : i->results)
      if (all[v] != own[v]) kept.emplace_back(v, TileBuffer::make(b_, frame_, type_of(v).dtype, type_of(v).elements()));
  spill_sources(group);

  const tile_ir::Type& shape = shape_of(*group[0]);
  const int lanes = chunk_lanes(shape);
  const auto part_chunks = static_cast<int>(shape.part_elements() / lanes);
  const auto affordable = static_cast<int>(std::bit_floor(std::max<size_t>(1, window_budget / emitted.size())));
  const int chunks = std::min({part_chunks, affordable, max_window_chunks});
  emit_counted_loop(b_, shape.elements(), chunks * lanes, [&](llvm::Value* number) {
    llvm::Value* elements = b_.getInt64(static_cast<uint64_t>(shape.part_elements()));
    Window window{number, b_.CreateUDiv(number, elements), b_.CreateURem(number, elements), chunks};
    window.ahead = row_to_fetch(group);
    window_ = &window;
    for (const Instruction* i : group) emit_or_defer(*i, rare, done);
    for (const auto& [v, buffer] : kept)
      for (int c = 0; c < chunks; ++c)
        buffer.store(b_.CreateAdd(number, b_.getInt64(static_cast<uint64_t>(c * lanes))),
                     window.values.at(v)[0][static_cast<size_t>(c)]);
    window_ = nullptr;
  });
  for (const auto& [v, buffer] : kept) define_stored(v, {{buffer.pointer()}});
}

/// A pass over a row that computes something of one or two tiles and keeps it leaves memory idle: the next program's
/// row, behind this one, can come meanwhile. Its length; 0 where that is not so.
int64_t KernelEmitter::row_to_fetch(const Group& group) const {
  constexpr int64_t most_loads = 2;
  const auto is = [](Op op) { return [op](const Instruction* i) { return i->op == op; }; };
  const auto keep = std::find_if(group.begin(), group.end(), is(Op::keep));
  if (keep == group.end() || std::count_if(group.begin(), group.end(), is(Op::block_load)) > most_loads) return 0;
  return static_cast<int64_t>((*keep)->bits) * shape_of(**keep).elements();
}

void KernelEmitter::fetch_ahead(const Box& from, const Position& at) {
  constexpr uint32_t read = 0, level_2 = 2, data = 1;
  llvm::Value* address =
      b_.CreateConstGEP1_64(from.element_type(), from.address(at), static_cast<uint64_t>(window_->ahead));
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                     {address, b_.getInt32(read), b_.getInt32(level_2), b_.getInt32(data)});
}

/// Not kept: where it is read may not dominate the next reader.
TileValue KernelEmitter::window_of(ValueId v) {
  const auto it = window_->values.find(v);
  if (it != window_->values.end()) return it->second;
  const int lanes = chunk_lanes(type_of(v));
  Chunks chunks;
  for (int c = 0; c < window_->chunks; ++c)
    chunks.push_back(
        buffer_of(v).load(b_.CreateAdd(window_->number, b_.getInt64(static_cast<uint64_t>(c * lanes))), lanes));
  return {chunks};
}

TileValue KernelEmitter::broadcast_window(const Instruction& i) {
  const ValueId source = i.operands[0];
  const tile_ir::Type& from = type_of(source);
  const int lanes = chunk_lanes(i.type);
  if (from.elements() == 1) {
    llvm::Value* v = scalar_use(source);
    return by_chunk(i.type, [&](size_t, size_t) { return splat(b_, v, lanes); });
  }
  const auto spilled = spilled_.find(source);
  const TileBuffer buffer(b_, spilled != spilled_.end() ? spilled->second : stored(source)[0][0], from.dtype);
  const bool stretched = source_bits(from, i.type)[0] < 0;
  return by_chunk(i.type, [&](size_t p, size_t c) {
    const Position at = position(i.type, p, c);
    llvm::Value* number = from.parts == 1 ? b_.getInt64(0) : at.part;
    for (int d = 0; d < from.rank; ++d) {
      const int32_t extent = from.dims[static_cast<size_t>(d)];
      number = b_.CreateMul(number, b_.getInt64(static_cast<uint64_t>(extent)));
      if (extent > 1) number = b_.CreateAdd(number, coordinate(b_, i.type, d, at.lane));
    }
    return stretched ? splat(b_, buffer.load(number, 1), lanes) : buffer.load(number, lanes);
  });
}

TileValue KernelEmitter::load_window(const Instruction& i) {
  const Box from = box(i);
  llvm::Value* fill = i.operands.empty() ? nullptr : scalar_use(i.operands[0]);
  return by_chunk(i.type, [&](size_t p, size_t c) {
    const Position at = position(i.type, p, c);
    if (window_->ahead > 0 && !is_masked(i)) fetch_ahead(from, at);
    return load_chunk(b_, frame_, i, from, is_masked(i), fill, at);
  });
}

void KernelEmitter::store_window(const Instruction& i) {
  const tile_ir::Type& type = type_of(i.operands[0]);
  const Box to = box(i);
  const TileValue value = use(i.operands[0]);
  std::vector<Position> at;
  for (size_t c = 0; c < value[0].size(); ++c) at.push_back(position(type, 0, c));
  store_chunks(b_, frame_, i, to, is_masked(i), at, value[0]);
}

}  // namespace sinter::llvm_codegen
