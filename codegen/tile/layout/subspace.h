// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::tile_ir {

/// A subspace of GF(2)^32, grown vector by vector and kept in reduced row echelon form: each basis row has a leading
/// bit that no other row contains.
///
/// Every inserted vector may carry a tag. Rows remember the XOR of the tags they were made of, so that `solve` writes a
/// vector as a sum of inserted ones: with tag 1 << i for column i of a matrix this is Gaussian elimination.
class Subspace {
 public:
  struct Solution {
    uint32_t remainder;  ///< what is left of the vector; zero exactly for members of the subspace
    uint32_t preimage;   ///< XOR of the tags of inserted vectors whose sum is the removed part
  };

  Subspace() = default;
  explicit Subspace(std::span<const uint32_t> vectors);

  /// Adds a vector. Returns false, and changes nothing, when it was in the subspace already.
  bool insert(uint32_t vector, uint32_t tag = 0);
  Solution solve(uint32_t vector) const;
  uint32_t reduce(uint32_t vector) const { return solve(vector).remainder; }
  bool contains(uint32_t vector) const { return reduce(vector) == 0; }
  int dimension() const { return dimension_; }
  /// The rows, by ascending leading bit. A member is the sum of the rows whose leading bits it has.
  std::vector<uint32_t> basis() const;

 private:
  struct Row {
    uint32_t vector = 0;
    uint32_t tag = 0;
  };
  std::array<Row, 32> rows_{};  // rows_[b] has leading bit b, or is empty
  int dimension_ = 0;
};

/// Basis of the intersection of two spans. Members of `a` that lie in the span of `b` come first, in their order; the
/// rest is arbitrary.
std::vector<uint32_t> intersection(std::span<const uint32_t> a, std::span<const uint32_t> b);

/// Appends to `basis` (independent vectors) those of `candidates` that are independent of it and of the span of
/// `avoid`, until `basis` has `count` vectors or the candidates end.
void extend(std::vector<uint32_t>& basis, std::span<const uint32_t> candidates, size_t count,
            std::span<const uint32_t> avoid = {});

/// A subspace S of the span of `universe` that is a complement of both spans in it: S + X = S + Y = everything, both
/// sums direct. `x` and `y` are bases of equal length inside of the universe. One exists over every field: with
/// I = X meet Y, X = I + <a_i> and Y = I + <b_i>, the vectors a_i + b_i together with any complement of X + Y do it,
/// because a sum of them that lies in X would put a sum of the b_i into I.
std::vector<uint32_t> common_complement(std::span<const uint32_t> x, std::span<const uint32_t> y,
                                        std::span<const uint32_t> universe);

}  // namespace sinter::tile_ir
