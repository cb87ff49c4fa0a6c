// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/subspace.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <bit>

namespace sinter::tile_ir {

Subspace::Subspace(std::span<const uint32_t> vectors) {
  for (uint32_t vector : vectors) insert(vector);
}

Subspace::Solution Subspace::solve(uint32_t vector) const {
  Solution solution{vector, 0};
  for (uint32_t bits = vector; bits != 0; bits &= bits - 1) {
    const Row& row = rows_[static_cast<size_t>(std::countr_zero(bits))];
    solution.remainder ^= row.vector;
    solution.preimage ^= row.tag;
  }
  return solution;
}

bool Subspace::insert(uint32_t vector, uint32_t tag) {
  Solution solution = solve(vector);
  if (solution.remainder == 0) return false;
  Row row{solution.remainder, tag ^ solution.preimage};
  int lead = 31 - std::countl_zero(row.vector);
  for (Row& other : rows_) {
    if (other.vector >> lead & 1) {
      other.vector ^= row.vector;
      other.tag ^= row.tag;
    }
  }
  rows_[static_cast<size_t>(lead)] = row;
  ++dimension_;
  return true;
}

std::vector<uint32_t> Subspace::basis() const {
  std::vector<uint32_t> vectors;
  for (const Row& row : rows_) {
    if (row.vector != 0) vectors.push_back(row.vector);
  }
  return vectors;
}

std::vector<uint32_t> intersection(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  // A dependency between the vectors of a and b is a vector that both spans contain: eliminate b first, then a. The
  // remainder of a vector of a that vanishes gives (sum of some a) = (sum of some b).
  Subspace members, in_b(b);
  std::vector<uint32_t> result;
  for (uint32_t vector : a) {
    if (in_b.contains(vector) && members.insert(vector)) result.push_back(vector);
  }
  // Tags carry the part that came from a: rows made of b alone have tag zero.
  Subspace both;
  for (uint32_t vector : b) both.insert(vector, 0);
  for (uint32_t vector : a) {
    Subspace::Solution solution = both.solve(vector);
    if (solution.remainder == 0) {
      uint32_t common = vector ^ solution.preimage;  // the sum of vectors of a that equals a sum of vectors of b
      if (members.insert(common)) result.push_back(common);
    } else {
      both.insert(vector, vector);
    }
  }
  return result;
}

void extend(std::vector<uint32_t>& basis, std::span<const uint32_t> candidates, size_t count,
            std::span<const uint32_t> avoid) {
  Subspace taken(avoid);
  for (uint32_t vector : basis) taken.insert(vector);
  for (uint32_t vector : candidates) {
    if (basis.size() >= count) return;
    if (taken.insert(vector)) basis.push_back(vector);
  }
}

std::vector<uint32_t> common_complement(std::span<const uint32_t> x, std::span<const uint32_t> y,
                                        std::span<const uint32_t> universe) {
  if (x.size() != y.size()) {
    throw CompileError(fmt::format("internal: common complement of dimensions {} and {}", x.size(), y.size()));
  }
  std::vector<uint32_t> shared = intersection(x, y);
  std::vector<uint32_t> a = shared, b = shared;
  extend(a, x, x.size());
  extend(b, y, y.size());
  std::vector<uint32_t> complement;
  for (size_t i = shared.size(); i < a.size(); ++i) complement.push_back(a[i] ^ b[i]);
  std::vector<uint32_t> sum(a);
  extend(sum, b, universe.size());
  extend(complement, universe, universe.size() - x.size(), sum);
  return complement;
}

}  // namespace sinter::tile_ir
