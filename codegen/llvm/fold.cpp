// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/fold.h"

#include <algorithm>
#include <bit>

#include "codegen/llvm/lane_moves.h"
#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

namespace {

using tile_ir::ReduceKind;

constexpr int partial_bits = 8;  // 256 partials
constexpr int chunk_bits = 10;   // of 1024 elements

class Fold {
 public:
  Fold(Builder& b, ReduceKind kind, DType type) : b_(b), kind_(kind), type_(type) {}

  bool order_matters() const { return type_.is_floating() && (kind_ == ReduceKind::sum || kind_ == ReduceKind::prod); }

  Chunks combine(const Chunks& x, const Chunks& y) const {
    Chunks r;
    for (size_t c = 0; c < x.size(); ++c) r.push_back(combine(x[c], y[c]));
    return r;
  }

  /// Folds the bits `first` .. `first + count - 1` of the lane number.
  Chunks along(Chunks v, int first, int count) const {
    if (!order_matters()) {  // chunks meet lane by lane before lanes move
      for (int bit = count; bit-- > 0;) v = pair(v, first + bit);
      return v;
    }
    // The bits between partial and chunk are added in sequence; doing so first keeps the bits below in place.
    if (count > partial_bits) v = sequence(v, first + partial_bits, std::min(count, chunk_bits) - partial_bits);
    for (int bit = 0; bit < std::min(count, partial_bits); ++bit) v = pair(v, first);
    for (int bit = chunk_bits; bit < count; ++bit) v = pair(v, first);
    return v;
  }

 private:
  llvm::Value* combine(llvm::Value* x, llvm::Value* y) const { return fold_two(b_, kind_, type_, x, y); }

  Chunks pair(const Chunks& v, int bit) const {
    return combine(select_bit(b_, v, bit, false), select_bit(b_, v, bit, true));
  }

  /// ((0 + 1) + 2) + 3 over one or two bits at `bit`.
  Chunks sequence(const Chunks& v, int bit, int count) const {
    if (count == 1) return pair(v, bit);
    const Chunks low = select_bit(b_, v, bit + 1, false), high = select_bit(b_, v, bit + 1, true);
    const Chunks two = combine(pair(low, bit), select_bit(b_, high, bit, false));
    return combine(two, select_bit(b_, high, bit, true));
  }

  Builder& b_;
  ReduceKind kind_;
  DType type_;
};

}  // namespace

llvm::Value* fold_two(Builder& b, ReduceKind kind, DType type, llvm::Value* x, llvm::Value* y) {
  const ScalarCall call{b, {x, y, nullptr}, type, type};
  switch (kind) {
    case ReduceKind::sum:
      return emit_add(call);
    case ReduceKind::prod:
      return emit_mul(call);
    case ReduceKind::amax:
      return emit_max(call);
    case ReduceKind::amin:
      return emit_min(call);
  }
  return nullptr;
}

TileValue emit_reduce(Builder& b, const TileValue& value, const tile_ir::Type& type, ReduceKind kind, int dim) {
  const Fold fold(b, kind, type.dtype);
  if (dim == tile_ir::parts_dim) {
    TileValue level = value;
    while (level.size() > 1) {
      TileValue next;
      for (size_t p = 0; p + 1 < level.size(); p += 2) next.push_back(fold.combine(level[p], level[p + 1]));
      if (level.size() % 2) next.push_back(level.back());
      level = std::move(next);
    }
    return level;
  }
  int first = 0;
  for (int d = dim + 1; d < type.rank; ++d)
    first += std::bit_width(static_cast<uint32_t>(type.dims[static_cast<size_t>(d)])) - 1;
  const int count = std::bit_width(static_cast<uint32_t>(type.dims[static_cast<size_t>(dim)])) - 1;
  TileValue result;
  for (const Chunks& part : value) result.push_back(fold.along(part, first, count));
  return result;
}

}  // namespace sinter::llvm_codegen
