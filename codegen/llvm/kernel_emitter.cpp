// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/kernel_emitter.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "codegen/llvm/block_access.h"
#include "codegen/llvm/element_codec.h"
#include "codegen/llvm/fold.h"
#include "codegen/llvm/lane_moves.h"
#include "codegen/llvm/region_facts.h"
#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

using tile::Instruction;
using tile::Op;
using tile::Region;
using tile::ValueId;

int log2_of(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)) - 1; }

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const tile::Kernel& kernel, int vector_bits)
      : module_(module),
        b_(module.getContext()),
        frame_(module, b_, kernel, vector_bits),
        values_(static_cast<size_t>(kernel.value_count)),
        types_(static_cast<size_t>(kernel.value_count)) {
    record_types(kernel.body);
  }

  /// for (program = begin; program < end; ++program) body
  void run() {
    llvm::BasicBlock *entry = b_.GetInsertBlock(), *loop = block("program"), *exit = block("exit");
    b_.CreateCondBr(b_.CreateICmpSLT(frame_.begin(), frame_.end()), loop, exit);
    b_.SetInsertPoint(loop);
    llvm::PHINode* program = b_.CreatePHI(b_.getInt64Ty(), 2, "program");
    program->addIncoming(frame_.begin(), entry);
    program_ = program;
    region(frame_.kernel().body);
    llvm::Value* next = b_.CreateNSWAdd(program, b_.getInt64(1));
    program->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, frame_.end()), loop, exit);
    b_.SetInsertPoint(exit);
    if (frame_.has_streaming() && llvm::Triple(module_.getTargetTriple()).isX86())
      b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    b_.CreateRetVoid();
  }

 private:
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, frame_.function());
  }

  void record_types(const Region& r) {
    for (size_t k = 0; k < r.arguments.size(); ++k) types_[static_cast<size_t>(r.arguments[k])] = r.argument_types[k];
    for (const Instruction& i : r.body) {
      const std::vector<tile::Type> types = tile::result_types(i);
      for (size_t k = 0; k < types.size(); ++k) types_[static_cast<size_t>(i.results[k])] = types[k];
      for (const Region& inner : i.regions) record_types(inner);
    }
  }

  const TileValue& use(ValueId v) const { return values_[static_cast<size_t>(v)]; }
  const tile::Type& type_of(ValueId v) const { return types_[static_cast<size_t>(v)]; }
  llvm::Value* scalar_use(ValueId v) const { return use(v)[0][0]; }
  void define(ValueId v, TileValue value) { values_[static_cast<size_t>(v)] = std::move(value); }

  int chunk_lanes(const tile::Type& t) const {
    return t.is_tile ? static_cast<int>(std::min<int64_t>(t.part_elements(), frame_.lanes())) : 1;
  }
  int chunk_count(const tile::Type& t) const { return static_cast<int>(t.part_elements()) / chunk_lanes(t); }

  template <class F>
  TileValue by_chunk(const tile::Type& t, F f) const {
    TileValue r(static_cast<size_t>(t.parts));
    for (int p = 0; p < t.parts; ++p)
      for (int c = 0; c < chunk_count(t); ++c)
        r[static_cast<size_t>(p)].push_back(f(static_cast<size_t>(p), static_cast<size_t>(c)));
    return r;
  }

  // ---- regions ----

  std::vector<TileValue> region(const Region& r) {
    std::unordered_set<const Instruction*> done = hoist_scalars(r);
    std::vector<const Instruction*> versioned;
    if (!has_masked_loop(r))
      for (const Instruction* i : masked_accesses(r))
        if (!inside_.count(i) && !outside_.count(i) && bounds_known(*i)) versioned.push_back(i);
    if (versioned.empty()) return straight(r, done);
    llvm::Value* whole = b_.getTrue();
    for (const Instruction* i : versioned) whole = b_.CreateAnd(whole, box(*i).whole_inside());
    return two_versions(r, done, versioned, whole);
  }

  /// Emits the scalar arithmetic of a region before everything else, so that bounds are known at its begin.
  std::unordered_set<const Instruction*> hoist_scalars(const Region& r) {
    std::unordered_set<const Instruction*> done;
    std::unordered_set<ValueId> unknown;
    for (const Instruction& i : r.body) {
      const bool ready = is_pure_scalar(i) && std::none_of(i.operands.begin(), i.operands.end(),
                                                           [&](ValueId v) { return unknown.count(v) > 0; });
      if (ready) {
        instruction(i);
        done.insert(&i);
        continue;
      }
      unknown.insert(i.results.begin(), i.results.end());
      forget(i);
    }
    return done;
  }

  /// What the region's other version left.
  void forget(const Instruction& i) {
    for (const ValueId v : i.results) values_[static_cast<size_t>(v)].clear();
    for (const Region& r : i.regions)
      for (const Instruction& inner : r.body) forget(inner);
  }

  bool bounds_known(const Instruction& i) const {
    const auto known = [&](const tile::IndexOperand& x) { return x.is_literal() || !use(x.value).empty(); };
    const auto along = [&](const tile::AccessDim& d) { return known(d.origin) && known(d.stride) && known(d.extent); };
    const tile::Access& a = *i.access;
    return known(a.base) && along(a.parts) && known(a.row_extent) && std::all_of(a.dims.begin(), a.dims.end(), along);
  }

  /// The region twice: without masks where every tile lies inside, with them elsewhere.
  std::vector<TileValue> two_versions(const Region& r, const std::unordered_set<const Instruction*>& done,
                                      const std::vector<const Instruction*>& versioned, llvm::Value* whole) {
    llvm::BasicBlock *fast = block("whole"), *slow = block("edge"), *join = block("join");
    b_.CreateCondBr(whole, fast, slow);
    b_.SetInsertPoint(fast);
    inside_.insert(versioned.begin(), versioned.end());
    const std::vector<TileValue> a = straight(r, done);
    for (const Instruction* i : versioned) inside_.erase(i);
    llvm::BasicBlock* fast_end = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(slow);
    outside_.insert(versioned.begin(), versioned.end());
    const std::vector<TileValue> e = straight(r, done);
    for (const Instruction* i : versioned) outside_.erase(i);
    llvm::BasicBlock* slow_end = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    return merge(a, fast_end, e, slow_end);
  }

  std::vector<TileValue> merge(const std::vector<TileValue>& x, llvm::BasicBlock* from_x,
                               const std::vector<TileValue>& y, llvm::BasicBlock* from_y) {
    std::vector<TileValue> r = x;
    for (size_t v = 0; v < x.size(); ++v)
      for (size_t p = 0; p < x[v].size(); ++p)
        for (size_t c = 0; c < x[v][p].size(); ++c) {
          llvm::PHINode* phi = b_.CreatePHI(x[v][p][c]->getType(), 2);
          phi->addIncoming(x[v][p][c], from_x);
          phi->addIncoming(y[v][p][c], from_y);
          r[v][p][c] = phi;
        }
    return r;
  }

  std::vector<TileValue> straight(const Region& r, const std::unordered_set<const Instruction*>& done) {
    const RareParts rare(r);
    for (const Instruction& i : r.body) {
      if (done.count(&i) || rare.is_deferred(i)) continue;
      if (i.op == Op::yield) return all_of(i.operands);
      if (!rare.of(i).empty())
        emit_rare(i, rare, done);
      else
        instruction(i);
    }
    return {};
  }

  std::vector<TileValue> all_of(const std::vector<ValueId>& ids) const {
    std::vector<TileValue> r;
    for (const ValueId v : ids) r.push_back(use(v));
    return r;
  }

  void define_all(const Instruction& i, const std::vector<TileValue>& values) {
    for (size_t k = 0; k < i.results.size(); ++k) define(i.results[k], values[k]);
  }

  /// rare(cond, fast, slow): `slow` is computed only where some lane of the tile has cond.
  void emit_rare(const Instruction& i, const RareParts& rare, const std::unordered_set<const Instruction*>& done) {
    llvm::Value* any = any_lane(use(i.operands[0]));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *slow = block("rare"), *join = block("common");
    b_.CreateCondBr(any, slow, join, llvm::MDNode::get(b_.getContext(), unlikely()));
    b_.SetInsertPoint(slow);
    for (const Instruction* part : rare.of(i))
      if (!done.count(part)) instruction(*part);
    instruction(i);
    const TileValue mixed = use(i.results[0]);
    llvm::BasicBlock* end = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    define(i.results[0], merge({use(i.operands[1])}, before, {mixed}, end)[0]);
  }

  std::vector<llvm::Metadata*> unlikely() const {
    const auto number = [&](uint32_t n) {
      return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(module_.getContext()), n));
    };
    return {llvm::MDString::get(module_.getContext(), "branch_weights"), number(1), number(2000)};
  }

  llvm::Value* any_lane(const TileValue& condition) {
    llvm::Value* any = nullptr;
    for (const Chunks& part : condition)
      for (llvm::Value* chunk : part) any = any ? b_.CreateOr(any, chunk) : chunk;
    return lanes_of(any) == 1 ? any : b_.CreateOrReduce(any);
  }

  // ---- instructions ----

  void instruction(const Instruction& i) {
    switch (i.op) {
      case Op::for_loop:
        return loop(i);
      case Op::if_then:
        return branch(i);
      case Op::block_store:
        return store_block(b_, frame_, i, box(i), is_masked(i), use(i.operands[0]));
      case Op::scatter:
        return scatter(i);
      case Op::status_check:
        return status_check(i);
      default:
        define(i.results[0], value_of(i));
    }
  }

  TileValue value_of(const Instruction& i) {
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
      case Op::block_load: {
        llvm::Value* fill = i.operands.empty() ? nullptr : scalar_use(i.operands[0]);
        return load_block(b_, frame_, i, box(i), is_masked(i), fill);
      }
      case Op::gather:
        return gather(i);
      case Op::reduce:
        return emit_reduce(b_, use(i.operands[0]), type_of(i.operands[0]), static_cast<tile::ReduceKind>(i.index),
                           i.dim);
      default:
        throw CompileError(fmt::format("internal: {} is not in the logical form", tile::op_name(i.op)));
    }
  }

  llvm::Value* constant(const Instruction& i) const {
    llvm::Type* type = register_type(module_.getContext(), i.type.dtype);
    if (!i.type.dtype.is_floating()) return llvm::ConstantInt::get(type, i.bits);
    const llvm::APInt bits(static_cast<unsigned>(i.type.dtype.bits()), i.bits);
    return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), bits));
  }

  TileValue iota(const Instruction& i) {
    const int lanes = chunk_lanes(i.type);
    int64_t inner = 1;
    for (int d = i.dim + 1; d < i.type.rank && i.dim >= 0; ++d) inner *= i.type.dims[static_cast<size_t>(d)];
    return by_chunk(i.type, [&](size_t p, size_t c) {
      std::vector<int64_t> k;
      for (int64_t l = 0; l < lanes; ++l)
        k.push_back(i.dim == tile::parts_dim
                        ? static_cast<int64_t>(p)
                        : (static_cast<int64_t>(c) * lanes + l) / inner % i.type.dims[static_cast<size_t>(i.dim)]);
      return lane_constants(b_.getInt32Ty(), k);
    });
  }

  TileValue broadcast(const Instruction& i) {
    const TileValue& v = use(i.operands[0]);
    const tile::Type& from = type_of(i.operands[0]);
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

  TileValue trans(const Instruction& i) {
    const tile::Type& from = type_of(i.operands[0]);
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

  TileValue scalar_op(const Instruction& i) {
    const DType type = type_of(i.operands.back()).dtype;
    return by_chunk(i.type, [&](size_t p, size_t c) {
      ScalarCall call{b_, {}, type, i.dtype};
      for (size_t k = 0; k < i.operands.size(); ++k) call.x[k] = use(i.operands[k])[p][c];
      return emit_scalar(i.scalar, call);
    });
  }

  // ---- memory ----

  Box box(const Instruction& i) {
    const tile::Type& type = i.op == Op::block_load ? i.type : type_of(i.operands[0]);
    return Box(b_, frame_, i.index, *i.access, type, [this](ValueId v) { return scalar_use(v); });
  }

  bool is_masked(const Instruction& i) const { return i.access->is_masked() && !inside_.count(&i); }

  llvm::Value* element_addresses(const Instruction& i, llvm::Value* offsets) {
    return b_.CreateGEP(memory_type(b_.getContext(), frame_.storage(i.index)), frame_.parameter(i.index), offsets);
  }

  TileValue gather(const Instruction& i) {
    const TileValue& offsets = use(i.operands[0]);
    const int lanes = chunk_lanes(i.type);
    return by_chunk(i.type, [&](size_t p, size_t c) {
      llvm::Value* mask = i.masked ? use(i.operands[1])[p][c] : splat(b_, b_.getTrue(), lanes);
      llvm::Value* memory = gather_elements(b_, frame_, i.index, element_addresses(i, offsets[p][c]), mask);
      llvm::Value* value = decode(b_, memory, frame_.storage(i.index));
      if (!i.masked) return value;
      const bool uniform = !type_of(i.operands[2]).is_tile;
      llvm::Value* fill = uniform ? splat(b_, scalar_use(i.operands[2]), lanes) : use(i.operands[2])[p][c];
      return b_.CreateSelect(mask, value, fill);
    });
  }

  void scatter(const Instruction& i) {
    const tile::Type& type = type_of(i.operands[0]);
    by_chunk(type, [&](size_t p, size_t c) {
      llvm::Value* mask = i.masked ? use(i.operands[2])[p][c] : splat(b_, b_.getTrue(), chunk_lanes(type));
      llvm::Value* value = encode(b_, use(i.operands[1])[p][c], frame_.storage(i.index));
      scatter_elements(b_, frame_, i.index, element_addresses(i, use(i.operands[0])[p][c]), value, mask);
      return value;
    });
  }

  /// The first one to find the word 0 sets it.
  void status_check(const Instruction& i) {
    llvm::BasicBlock *bad = block("bad"), *good = block("good");
    b_.CreateCondBr(any_lane(use(i.operands[0])), bad, good, llvm::MDNode::get(b_.getContext(), unlikely()));
    b_.SetInsertPoint(bad);
    llvm::Type* word = memory_type(b_.getContext(), frame_.storage(i.index));
    b_.CreateAtomicCmpXchg(frame_.parameter(i.index), llvm::ConstantInt::get(word, 0),
                           llvm::ConstantInt::get(word, i.bits), llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic,
                           llvm::AtomicOrdering::Monotonic);
    b_.CreateBr(good);
    b_.SetInsertPoint(good);
  }

  // ---- control ----

  void loop(const Instruction& i) {
    llvm::Value *lo = scalar_use(i.operands[0]), *hi = scalar_use(i.operands[1]), *step = scalar_use(i.operands[2]);
    const Region& r = i.regions[0];
    std::vector<TileValue> initial;
    for (size_t k = 3; k < i.operands.size(); ++k) initial.push_back(use(i.operands[k]));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *body = block("for"), *after = block("for.end");
    b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), body, after);
    b_.SetInsertPoint(body);
    llvm::PHINode* induction = b_.CreatePHI(b_.getInt64Ty(), 2);
    induction->addIncoming(lo, before);
    define(r.arguments[0], {{induction}});
    std::vector<TileValue> carried = initial;
    std::vector<llvm::PHINode*> phis;
    for (TileValue& v : carried)
      for (Chunks& part : v)
        for (llvm::Value*& chunk : part) {
          phis.push_back(b_.CreatePHI(chunk->getType(), 2));
          phis.back()->addIncoming(chunk, before);
          chunk = phis.back();
        }
    for (size_t k = 0; k < carried.size(); ++k) define(r.arguments[k + 1], carried[k]);
    const std::vector<TileValue> next = region(r);
    llvm::Value* following = b_.CreateAdd(induction, step);
    llvm::BasicBlock* end = b_.GetInsertBlock();
    induction->addIncoming(following, end);
    size_t phi = 0;
    for (const TileValue& v : next)
      for (const Chunks& part : v)
        for (llvm::Value* chunk : part) phis[phi++]->addIncoming(chunk, end);
    b_.CreateCondBr(b_.CreateICmpSLT(following, hi), body, after);
    b_.SetInsertPoint(after);
    define_all(i, merge(initial, before, next, end));
  }

  void branch(const Instruction& i) {
    llvm::BasicBlock *then = block("then"), *otherwise = block("else"), *join = block("fi");
    b_.CreateCondBr(scalar_use(i.operands[0]), then, otherwise);
    b_.SetInsertPoint(then);
    const std::vector<TileValue> x = region(i.regions[0]);
    llvm::BasicBlock* then_end = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(otherwise);
    const std::vector<TileValue> y = region(i.regions[1]);
    llvm::BasicBlock* otherwise_end = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    define_all(i, merge(x, then_end, y, otherwise_end));
  }

  llvm::Module& module_;
  Builder b_;
  KernelFrame frame_;
  std::vector<TileValue> values_;
  std::vector<tile::Type> types_;
  llvm::Value* program_ = nullptr;
  std::unordered_set<const Instruction*> inside_, outside_;  ///< accesses known to lie inside; known to be masked here
};

}  // namespace

void emit_kernel(llvm::Module& module, const tile::Kernel& kernel, int vector_bits) {
  KernelEmitter(module, kernel, vector_bits).run();
}

}  // namespace sinter::llvm_codegen
