// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "codegen/tile/layout/blocked.h"

namespace sinter::tile_ir::testing {

/// Random layouts that are the same with every standard library: only the generator's raw output is used.
class LayoutSampler {
 public:
  explicit LayoutSampler(uint64_t seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  /// 1 to 4 dims with 2^log_elements elements.
  TileShape shape(int log_elements, int parts) {
    int rank = between(1, max_tile_dims);
    TileCoords dims{1, 1, 1, 1};
    for (int i = 0; i < log_elements; ++i) dims[static_cast<size_t>(below(rank))] *= 2;
    return TileShape::of({dims.data(), static_cast<size_t>(rank)}, parts);
  }

  /// A surjective layout: blocked, a random assignment of coordinate bits, or a random invertible matrix; then free
  /// bits and, sometimes, redundant ones that are not zero.
  LinearLayout layout(const TileShape& shape, int log_threads) {
    if (chance(40)) return blocked(shape, log_threads);
    int n = shape.log_elements();
    std::vector<uint32_t> basis = chance(60) ? shuffled_units(n) : invertible(n);
    int in_threads = std::min(log_threads, n);
    if (chance(20)) in_threads = between(std::max(0, n - 6), in_threads);
    std::vector<uint32_t> threads(basis.begin(), basis.begin() + in_threads);
    std::vector<uint32_t> registers(basis.begin() + in_threads, basis.end());
    while (static_cast<int>(threads.size()) < log_threads) threads.push_back(redundant(basis));
    if (chance(15)) registers.push_back(redundant(basis));
    shuffle(threads);
    shuffle(registers);
    return assemble(shape, registers, threads);
  }

  LinearLayout blocked(const TileShape& shape, int log_threads) {
    BlockedLayout description;
    description.shape = shape;
    for (int i = shape.rank - 1; i > 0; --i) {
      std::swap(description.order[static_cast<size_t>(i)], description.order[static_cast<size_t>(below(i + 1))]);
    }
    int room = std::max(0, shape.log_elements() - log_threads);
    description.vector[static_cast<size_t>(description.order[0])] = std::min(room, below(5));
    spread_threads(description, 1 << log_threads);
    return make_layout(description);
  }

 private:
  uint32_t redundant(const std::vector<uint32_t>& basis) {
    if (basis.empty() || !chance(25)) return 0;
    return basis[static_cast<size_t>(below(static_cast<int>(basis.size())))];
  }

  std::vector<uint32_t> shuffled_units(int n) {
    std::vector<uint32_t> units;
    for (int i = 0; i < n; ++i) units.push_back(uint32_t{1} << i);
    shuffle(units);
    return units;
  }

  /// Columns of a random invertible matrix: unit vectors after random additions of one column to another.
  std::vector<uint32_t> invertible(int n) {
    std::vector<uint32_t> columns = shuffled_units(n);
    for (int step = 0; n > 1 && step < 3 * n; ++step) {
      size_t a = static_cast<size_t>(below(n)), b = static_cast<size_t>(below(n));
      if (a != b) columns[a] ^= columns[b];
    }
    return columns;
  }

  void shuffle(std::vector<uint32_t>& values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<size_t>(below(static_cast<int>(i)))]);
  }

  static LinearLayout assemble(const TileShape& shape, const std::vector<uint32_t>& registers,
                               const std::vector<uint32_t>& threads) {
    LayoutBases bases;
    for (uint32_t column : registers) bases[0].push_back(shape.unflatten(column));
    for (size_t i = 0; i < threads.size(); ++i) bases[i < 5 ? 1 : 2].push_back(shape.unflatten(threads[i]));
    return LinearLayout(shape, bases);
  }

  std::mt19937_64 random_;
};

/// A conversion to test: two layouts of one tile.
struct LayoutPair {
  LinearLayout source;
  LinearLayout target;
  int element_bytes = 4;
};

inline constexpr uint64_t layout_pair_seed = 20250523;

/// The pairs every implementation of conversions is tested with: dims 1 to 4, parts 1 to 5, elements of 1, 2, 4 or 8
/// bytes, 32 to 256 threads, with free bits. A fifth of them keep the elements of a warp in that warp.
inline std::vector<LayoutPair> random_layout_pairs(int count, uint64_t seed = layout_pair_seed) {
  LayoutSampler sampler(seed);
  std::vector<LayoutPair> pairs;
  for (int i = 0; i < count; ++i) {
    int log_threads = sampler.between(5, 8);
    LayoutPair pair;
    int log_bytes = sampler.below(4);
    pair.element_bytes = 1 << log_bytes;
    // A part fits into the shared memory that every device has.
    int log_elements = std::min(15 - log_bytes, sampler.between(sampler.chance(10) ? 0 : 4, log_threads + 5));
    TileShape shape = sampler.shape(log_elements, sampler.between(1, 5));
    pair.source = sampler.layout(shape, log_threads);
    pair.target = sampler.layout(shape, log_threads);
    if (sampler.chance(20)) {  // mix registers, or registers and lanes: the elements of a warp stay in it
      int mixed = pair.source.bits(BitGroup::reg);
      if (mixed < 2 || sampler.chance(75)) mixed += pair.source.bits(BitGroup::lane);
      LayoutBases bases = pair.source.bases();
      std::vector<TileCoords*> slots;
      for (size_t g = 0; g < 2; ++g) {
        for (TileCoords& vector : bases[g]) slots.push_back(&vector);
      }
      for (int swap = sampler.between(1, 5); swap > 0; --swap) {
        std::swap(*slots[static_cast<size_t>(sampler.below(mixed))], *slots[static_cast<size_t>(sampler.below(mixed))]);
      }
      pair.target = LinearLayout(shape, bases);
    }
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace sinter::tile_ir::testing
