// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/swizzle.h"

#include <algorithm>
#include <bit>

#include "codegen/tile/layout/subspace.h"

namespace sinter::tile_ir {
namespace {

using Vectors = std::vector<uint32_t>;

constexpr int log_row_bytes = 7;  // 32 banks of 4 bytes
constexpr int log_word_bytes = 2;
constexpr int log_vector_bytes = 4;  // the widest access

/// One side of the exchange. Threads that hold copies do not store, but all threads load.
struct Side {
  Vectors registers;
  Vectors threads;              // lane and warp columns
  std::vector<uint32_t> lanes;  // by lane bit; zero where a lane does not take part

  /// Lanes that work in one phase of a vector access: a phase moves at most a row of the banks.
  Vectors phase(int log_access_bytes) const {
    size_t bits = static_cast<size_t>(std::min(5, log_row_bytes - log_access_bytes));
    Vectors result;
    extend(result, std::span(lanes).first(std::min(bits, lanes.size())), bits);
    return result;
  }
};

Side side_of(const LinearLayout& layout, bool stores) {
  auto columns = [&](BitGroup group, bool pivots_only) {
    Vectors result;
    for (int bit = 0; bit < layout.bits(group); ++bit) {
      bool active = !pivots_only || (layout.pivots(group) >> bit & 1);
      result.push_back(active ? layout.columns(group)[static_cast<size_t>(bit)] : 0);
    }
    return result;
  };
  Side side;
  side.lanes = columns(BitGroup::lane, stores);
  extend(side.registers, columns(BitGroup::reg, true), 32);
  extend(side.threads, side.lanes, 32);
  extend(side.threads, columns(BitGroup::warp, stores), 32);
  return side;
}

/// A choice of vectors: `common` for both sides, `extra` (E) for the wide one.
struct VectorChoice {
  Vectors common, extra;
  const Side* wide;
  const Side* narrow;
};

/// Registers of the wide side that make its vectors 2^count elements wide. They have to be independent of its
/// threads, and must not, together with all threads, reach into the common vectors.
Vectors extra_vectors(const VectorChoice& choice, size_t count) {
  Subspace own(choice.wide->threads);
  for (uint32_t vector : choice.common) own.insert(vector);
  Subspace others(choice.wide->threads);
  for (uint32_t vector : choice.narrow->threads) others.insert(vector);
  Subspace all = others;
  for (uint32_t vector : choice.common) all.insert(vector);
  Vectors extra;
  for (uint32_t vector : choice.wide->registers) {
    if (choice.common.size() + extra.size() >= count) break;
    bool reaches_common = all.contains(vector) && !others.contains(vector);
    if (reaches_common || !own.insert(vector)) continue;
    others.insert(vector);
    all.insert(vector);
    extra.push_back(vector);
  }
  return extra;
}

/// Basis of N, the complement of the vectors in the space of one round. `lanes` are those of a phase of the narrow
/// side: where they are not bound yet they get components along E from its vector `first_extra` on, so that as few
/// combinations as possible have none.
Vectors complement_of_vectors(const VectorChoice& choice, const Vectors& lanes, size_t first_extra,
                              const Vectors& space) {
  Vectors vectors = choice.common;
  vectors.insert(vectors.end(), choice.extra.begin(), choice.extra.end());
  Vectors complement;
  extend(complement, choice.wide->threads, 32, vectors);
  Subspace bound;  // spans vectors and complement; tags are the components along E, one bit for each
  Subspace used;   // components that lanes have already
  for (uint32_t vector : choice.common) bound.insert(vector, 0);
  for (size_t i = 0; i < choice.extra.size(); ++i) {
    bound.insert(choice.extra[i], i < first_extra ? 0 : uint32_t{1} << i);
  }
  for (uint32_t vector : complement) bound.insert(vector, 0);
  for (uint32_t lane : lanes) {
    if (auto [remainder, along_extra] = bound.solve(lane); remainder == 0) used.insert(along_extra);
  }
  for (uint32_t lane : lanes) {
    if (bound.contains(lane)) continue;
    uint32_t component = 0;
    for (size_t i = first_extra; i < choice.extra.size() && component == 0; ++i) {
      if (used.insert(uint32_t{1} << i)) component = choice.extra[i];
    }
    complement.push_back(lane ^ component);
    bound.insert(lane ^ component, 0);
  }
  extend(complement, choice.narrow->threads, 32, vectors);
  extend(complement, space, 32, vectors);
  return complement;
}

/// Basis of the elements of one round: all threads and vectors, and registers up to `bits` dimensions if they leave
/// room.
std::optional<Vectors> round_space(const VectorChoice& choice, const Vectors& universe, size_t bits) {
  Vectors space;
  for (const Vectors* part : {&choice.wide->threads, &choice.narrow->threads, &choice.common, &choice.extra}) {
    extend(space, *part, 32);
  }
  if (space.size() > bits) return std::nullopt;
  extend(space, universe, bits);
  return space;
}

/// The basis of offsets for a choice of vectors, if there is one that is free of bank conflicts and fits.
std::optional<Vectors> offset_basis(const VectorChoice& choice, const Vectors& universe, int log_element, size_t bits) {
  std::optional<Vectors> space = round_space(choice, universe, bits);
  if (!space) return std::nullopt;
  const size_t vector_bits = choice.common.size() + choice.extra.size();
  const size_t row = std::min(space->size(), static_cast<size_t>(log_row_bytes - log_element));
  const size_t banks = row - vector_bits;

  Vectors narrow_lanes = choice.narrow->phase(log_element + static_cast<int>(choice.common.size()));
  // Narrow accesses below a word: elements of one word never conflict, so the vectors inside of it count as lanes.
  const size_t word_bits = static_cast<size_t>(std::max(0, log_word_bytes - log_element));
  const size_t first_extra = std::clamp(word_bits, choice.common.size(), vector_bits) - choice.common.size();
  Vectors rest = complement_of_vectors(choice, narrow_lanes, first_extra, *space);
  Vectors x = choice.wide->phase(log_element + static_cast<int>(vector_bits));
  extend(narrow_lanes, std::span(choice.extra).first(first_extra), 32);
  Vectors y = intersection(narrow_lanes, rest);
  if (x.size() > banks || y.size() > banks) return std::nullopt;
  extend(x, y, banks);
  extend(x, rest, banks);
  extend(y, x, banks);  // in order: if both sides are below a word, the bank vectors inside of the word come first
  extend(y, rest, banks);
  Vectors segment = common_complement(x, y, rest);

  Vectors basis = choice.common;
  basis.insert(basis.end(), choice.extra.begin(), choice.extra.end());
  basis.insert(basis.end(), x.begin(), x.end());
  basis.insert(basis.end(), segment.begin(), segment.end());
  extend(basis, universe, universe.size());
  return basis;
}

}  // namespace

std::optional<Swizzle> choose_swizzle(const LinearLayout& source, const LinearLayout& target, int element_bytes,
                                      uint32_t max_elements) {
  const int log_element = std::countr_zero(static_cast<uint32_t>(element_bytes));
  const size_t widest = static_cast<size_t>(log_vector_bytes - log_element);
  const Side store = side_of(source, true), load = side_of(target, false);
  Vectors universe = store.registers;
  extend(universe, store.threads, 32);
  const size_t room = static_cast<size_t>(std::bit_width(max_elements | 1)) - 1;
  const size_t bits = std::min(universe.size(), room);

  Vectors threads = store.threads;
  threads.insert(threads.end(), load.threads.begin(), load.threads.end());
  Vectors common;
  extend(common, intersection(store.registers, load.registers), widest, threads);
  for (;; common.pop_back()) {
    for (size_t count = widest;; --count) {
      for (bool wide_load : {true, false}) {
        VectorChoice choice{common, {}, wide_load ? &load : &store, wide_load ? &store : &load};
        choice.extra = extra_vectors(choice, count);
        if (common.size() + choice.extra.size() != count) continue;
        std::optional<Vectors> basis = offset_basis(choice, universe, log_element, bits);
        if (!basis) continue;
        Swizzle swizzle;
        swizzle.offset = BitMap(*basis, source.shape().log_elements()).pseudo_inverse();
        swizzle.offset_bits = static_cast<int>(bits);
        swizzle.store_vector_bits = static_cast<int>(wide_load ? common.size() : count);
        swizzle.load_vector_bits = static_cast<int>(wide_load ? count : common.size());
        return swizzle;
      }
      if (count == common.size()) break;
    }
    if (common.empty()) break;
  }
  return std::nullopt;
}

}  // namespace sinter::tile_ir
