// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/scan.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "codegen/llvm/lane_moves.h"
#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {
namespace {

using tile_ir::Instruction;
using tile_ir::Op;
using tile_ir::ValueId;

/// A chunk of each value.
using Element = std::vector<llvm::Value*>;

int log2_of(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)) - 1; }

class Scan {
 public:
  Scan(Builder& b, const Instruction& in, const tile_ir::Type& type, std::vector<TileValue>& values)
      : b_(b), in_(in), values_(values), lane_bits_(log2_of(lanes_of(values[0][0][0]))) {
    for (int d = in.dim + 1; d < type.rank; ++d) first_ += log2_of(type.dims[static_cast<size_t>(d)]);
    count_ = log2_of(type.dims[static_cast<size_t>(in.dim)]);
  }

  void run() {
    for (int bit = first_; bit < first_ + count_; ++bit) bit < lane_bits_ ? within_vectors(bit) : across_vectors(bit);
  }

  /// What the dim ends with: all its bits are 1.
  TileValue ends(const TileValue& value) const {
    Chunks chunks = value[0];
    for (int k = 0; k < count_; ++k) chunks = select_bit(b_, chunks, first_, true);
    return {chunks};
  }

 private:
  size_t chunks() const { return values_[0][0].size(); }

  Element at(size_t chunk) const {
    Element e;
    for (const TileValue& v : values_) e.push_back(v[0][chunk]);
    return e;
  }

  /// Lanes of bits [from, to).
  static int ones(int from, int to) { return (1 << to) - (1 << from); }

  void within_vectors(int bit) {
    const int lanes = 1 << lane_bits_;
    std::vector<int> source, choice;
    for (int l = 0; l < lanes; ++l) {
      const bool changes = (l >> bit & 1) != 0;
      source.push_back(changes ? (l & ~(1 << bit)) | ones(first_, bit) : l);
      choice.push_back(changes ? lanes + l : l);
    }
    for (size_t c = 0; c < chunks(); ++c) {
      const Element later = at(c);
      Element earlier = later;
      for (llvm::Value*& v : earlier) v = shuffle(b_, v, source);
      const Element both = combine(earlier, later);
      for (size_t k = 0; k < both.size(); ++k) values_[k][0][c] = shuffle(b_, later[k], both[k], choice);
    }
  }

  void across_vectors(int bit) {
    const size_t changing = size_t{1} << (bit - lane_bits_);
    const auto below = static_cast<size_t>(ones(std::max(first_, lane_bits_), bit) >> lane_bits_);
    std::vector<int> last;  // of the dim, among the lanes
    for (int l = 0; l < 1 << lane_bits_; ++l) last.push_back(l | ones(first_, std::max(first_, lane_bits_)));
    for (size_t c = 0; c < chunks(); ++c) {
      if ((c & changing) == 0) continue;
      Element earlier = at((c & ~changing) | below);
      if (first_ < lane_bits_)
        for (llvm::Value*& v : earlier) v = shuffle(b_, v, last);
      const Element both = combine(earlier, at(c));
      for (size_t k = 0; k < both.size(); ++k) values_[k][0][c] = both[k];
    }
  }

  Element combine(const Element& earlier, const Element& later) const {
    return emit_combine(b_, in_.regions[0], earlier, later);
  }

  Builder& b_;
  const Instruction& in_;
  std::vector<TileValue>& values_;
  int lane_bits_, first_ = 0, count_ = 0;
};

}  // namespace

std::vector<llvm::Value*> emit_combine(Builder& b, const tile_ir::Region& region, const Element& earlier,
                                       const Element& later) {
  const int lanes = lanes_of(later[0]);
  std::unordered_map<ValueId, llvm::Value*> known;
  std::unordered_map<ValueId, DType> types;
  for (size_t k = 0; k < region.arguments.size(); ++k) {
    known[region.arguments[k]] = k < earlier.size() ? earlier[k] : later[k - earlier.size()];
    types[region.arguments[k]] = region.argument_types[k].dtype;
  }
  for (const Instruction& i : region.body) {
    if (i.op == Op::yield) break;
    types[i.results[0]] = i.type.dtype;
    if (i.op == Op::constant) {
      known[i.results[0]] = splat(b, scalar_constant(b.getContext(), i.type.dtype, i.bits), lanes);
      continue;
    }
    ScalarCall call{b, {}, types.at(i.operands.back()), i.dtype};
    for (size_t k = 0; k < i.operands.size(); ++k) call.x[k] = known.at(i.operands[k]);
    known[i.results[0]] = emit_scalar(i.scalar, call);
  }
  Element e;
  for (const ValueId v : region.body.back().operands) e.push_back(known.at(v));
  return e;
}

std::vector<TileValue> emit_scan(Builder& b, const Instruction& scan, const tile_ir::Type& type,
                                 std::vector<TileValue> values) {
  Scan s(b, scan, type, values);
  s.run();
  std::vector<TileValue> results = values;
  for (const TileValue& v : values) results.push_back(s.ends(v));
  return results;
}

}  // namespace sinter::llvm_codegen
