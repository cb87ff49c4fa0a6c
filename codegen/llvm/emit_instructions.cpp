// SPDX-License-Identifier: Apache-2.0
// Instructions by themselves.
#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <sinter/error.h>

#include "codegen/llvm/block_access.h"
#include "codegen/llvm/element_codec.h"
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/fold.h"
#include "codegen/llvm/lane_moves.h"
#include "codegen/llvm/scalar_emitter.h"
#include "codegen/llvm/scan.h"

namespace sinter::llvm_codegen {

using tile_ir::Op;

namespace {}  // namespace

void KernelEmitter::instruction(const Instruction& i) {
  switch (i.op) {
    case Op::for_loop:
      return loop(i);
    case Op::if_then:
      return branch(i);
    case Op::block_store:
      return store(i);
    case Op::scatter:
      return scatter(i);
    case Op::keep:
      return keep(i);
    case Op::stage:
      return;
    case Op::status_check:
      return status_check(i);
    case Op::scan:
      return scan(i);
    case Op::grid_scan:
      return grid_scan(i);
    case Op::reduce:
      if (reduces_in_blocks(i)) return reduce_in_blocks(i);
      if (reduces_across(i)) return reduce_across(i);
      break;
    case Op::reshape:
      if (is_large(i.type)) return define_stored(i.results[0], stored(i.operands[0]));
      break;
    default:
      break;
  }
  define(i.results[0], value_of(i));
}

TileValue KernelEmitter::value_of(const Instruction& i) {
  switch (i.op) {
    case Op::constant:
      return by_chunk(i.type, [&](size_t, size_t) { return splat(b_, constant(i), chunk_lanes(i.type)); });
    case Op::parameter:
      return {{frame_.parameter(i.index)}};
    case Op::program_id:
      return {{program_}};
    case Op::iota:
      return iota(i);
    case Op::broadcast:
      return broadcast(i);
    case Op::reshape:
      return use(i.operands[0]);
    case Op::trans:
      return trans(i);
    case Op::scalar:
      return scalar_op(i);
    case Op::block_load:
      return load(i);
    case Op::gather:
      return gather(i);
    case Op::recall:
      return recall(i);
    case Op::cluster_reduce:
      if (frame_.kernel().cluster != 1) throw CompileError("a kernel with clusters runs on CUDA only");
      return use(i.operands[0]);
    case Op::arrive:
      return {{arrive(i)}};
    case Op::ticket:
      return {{ticket(i)}};
    case Op::reduce:
      return emit_reduce(b_, use(i.operands[0]), type_of(i.operands[0]), static_cast<tile_ir::ReduceKind>(i.index),
                         i.dim);
    default:
      throw CompileError(fmt::format("internal: {} is not in the logical form", tile_ir::op_name(i.op)));
  }
}

void KernelEmitter::scan(const Instruction& i) {
  std::vector<TileValue> values;
  for (const ValueId v : i.operands) values.push_back(use(v));
  std::vector<TileValue> results = emit_scan(b_, i, type_of(i.operands[0]), std::move(values));
  for (size_t k = 0; k < results.size(); ++k) define(i.results[k], std::move(results[k]));
}

llvm::Value* KernelEmitter::constant(const Instruction& i) const {
  return scalar_constant(module_.getContext(), i.type.dtype, i.bits);
}

TileValue KernelEmitter::iota(const Instruction& i) {
  const int lanes = chunk_lanes(i.type);
  return by_chunk(i.type, [&](size_t p, size_t c) {
    const Position at = position(i.type, p, c);
    if (i.dim == tile_ir::parts_dim) return splat(b_, b_.CreateTrunc(at.part, b_.getInt32Ty()), lanes);
    return coordinates(b_, i.type, i.dim, at.lane, lanes);
  });
}

TileValue KernelEmitter::broadcast(const Instruction& i) {
  if (in_window(i.type)) return broadcast_window(i);
  const TileValue v = use(i.operands[0]);
  const tile_ir::Type& from = type_of(i.operands[0]);
  const int lanes = chunk_lanes(i.type);
  std::vector<int> bits;  // of the source's lane number by bit of the result's
  int next = 0;
  for (int d = i.type.rank; d-- > 0;) {
    const bool stretched = from.dims[static_cast<size_t>(d)] != i.type.dims[static_cast<size_t>(d)] || !from.is_tile;
    for (int bit = 0; bit < log2_of(i.type.dims[static_cast<size_t>(d)]); ++bit)
      bits.push_back(stretched ? -1 : next++);
  }
  TileValue r;
  for (int p = 0; p < i.type.parts; ++p)
    r.push_back(p && v.size() == 1 ? r[0]
                                   : broadcast_bits(b_, v[static_cast<size_t>(v.size() == 1 ? 0 : p)], bits, lanes));
  return r;
}

TileValue KernelEmitter::trans(const Instruction& i) {
  const tile_ir::Type& from = type_of(i.operands[0]);
  std::array<int, 4> lowest{};
  for (int d = from.rank, at = 0; d-- > 0;) {
    lowest[static_cast<size_t>(d)] = at;
    at += log2_of(from.dims[static_cast<size_t>(d)]);
  }
  std::vector<int> bits;
  for (int d = i.type.rank; d-- > 0;)
    for (int bit = 0; bit < log2_of(i.type.dims[static_cast<size_t>(d)]); ++bit)
      bits.push_back(lowest[static_cast<size_t>(i.perm[static_cast<size_t>(d)])] + bit);
  TileValue r;
  for (const Chunks& part : use(i.operands[0])) r.push_back(permute_bits(b_, part, bits));
  return r;
}

TileValue KernelEmitter::scalar_op(const Instruction& i) {
  const DType type = type_of(i.operands.back()).dtype;
  std::vector<TileValue> x;
  for (const ValueId v : i.operands) x.push_back(use(v));
  return by_chunk(i.type, [&](size_t p, size_t c) {
    ScalarCall call{b_, {}, type, i.dtype};
    for (size_t k = 0; k < x.size(); ++k) call.x[k] = x[k][p][c];
    return emit_scalar(i.scalar, call);
  });
}

Box KernelEmitter::box(const Instruction& i) {
  const tile_ir::Type& type = i.op == Op::block_load ? i.type : type_of(i.operands[0]);
  return Box(b_, frame_, i.index, *i.access, type, [this](ValueId v) { return scalar_use(v); });
}

llvm::Value* KernelEmitter::element_addresses(const Instruction& i, llvm::Value* offsets) {
  return b_.CreateGEP(memory_type(b_.getContext(), frame_.storage(i.index)), frame_.parameter(i.index), offsets);
}

TileValue KernelEmitter::load(const Instruction& i) {
  if (in_window(i.type)) return load_window(i);
  llvm::Value* fill = i.operands.empty() ? nullptr : scalar_use(i.operands[0]);
  return load_block(b_, frame_, i, box(i), is_masked(i), fill);
}

void KernelEmitter::store(const Instruction& i) {
  if (in_window(type_of(i.operands[0]))) return store_window(i);
  store_block(b_, frame_, i, box(i), is_masked(i), use(i.operands[0]));
}

TileValue KernelEmitter::gather(const Instruction& i) {
  const TileValue offsets = use(i.operands[0]);
  const TileValue masks = i.masked ? use(i.operands[1]) : TileValue{};
  const bool uniform = i.masked && !type_of(i.operands[2]).is_tile;
  const TileValue fills = i.masked && !uniform ? use(i.operands[2]) : TileValue{};
  const int lanes = chunk_lanes(i.type);
  return by_chunk(i.type, [&](size_t p, size_t c) {
    llvm::Value* mask = i.masked ? masks[p][c] : splat(b_, b_.getTrue(), lanes);
    llvm::Value* memory = gather_elements(b_, frame_, i.index, element_addresses(i, offsets[p][c]), mask);
    llvm::Value* value = decode(b_, memory, frame_.storage(i.index));
    if (!i.masked) return value;
    return b_.CreateSelect(mask, value, uniform ? splat(b_, scalar_use(i.operands[2]), lanes) : fills[p][c]);
  });
}

void KernelEmitter::scatter(const Instruction& i) {
  const tile_ir::Type& type = type_of(i.operands[0]);
  const TileValue offsets = use(i.operands[0]), values = use(i.operands[1]);
  const TileValue masks = i.masked ? use(i.operands[2]) : TileValue{};
  by_chunk(type, [&](size_t p, size_t c) {
    llvm::Value* mask = i.masked ? masks[p][c] : splat(b_, b_.getTrue(), chunk_lanes(type));
    llvm::Value* value = encode(b_, values[p][c], frame_.storage(i.index));
    llvm::Value* const at = element_addresses(i, offsets[p][c]);
    if (i.fold)
      accumulate_elements(b_, frame_, i.index, at, value, mask, *i.fold);
    else
      scatter_elements(b_, frame_, i.index, at, value, mask);
    return value;
  });
}

/// Number of the first element of a slot, or of the window in it.
llvm::Value* KernelEmitter::slot_begin(const Instruction& i, const tile_ir::Type& tile) {
  llvm::Value* first = b_.CreateMul(scalar_use(i.operands[0]), b_.getInt64(static_cast<uint64_t>(tile.elements())));
  return in_window(tile) ? b_.CreateAdd(first, window_->number) : first;
}

void KernelEmitter::keep(const Instruction& i) {
  const tile_ir::Type& tile = type_of(i.operands[1]);
  auto at = stores_.find(i.index);
  if (at == stores_.end())
    at = stores_.emplace(i.index, TileBuffer::make(b_, frame_, i.dtype, static_cast<int64_t>(i.bits) * tile.elements()))
             .first;
  llvm::Value* number = slot_begin(i, tile);
  for (const Chunks& part : use(i.operands[1]))
    for (llvm::Value* chunk : part) {
      at->second.store(number, chunk);
      number = b_.CreateAdd(number, b_.getInt64(static_cast<uint64_t>(lanes_of(chunk))));
    }
}

TileValue KernelEmitter::recall(const Instruction& i) {
  const int lanes = chunk_lanes(i.type);
  llvm::Value* const first = slot_begin(i, i.type);
  const auto chunks = static_cast<uint64_t>(i.type.part_elements() / lanes);
  return by_chunk(i.type, [&](size_t p, size_t c) {
    const auto offset = (p * chunks + c) * static_cast<uint64_t>(lanes);
    return stores_.at(i.index).load(b_.CreateAdd(first, b_.getInt64(offset)), lanes);
  });
}

}  // namespace sinter::llvm_codegen
