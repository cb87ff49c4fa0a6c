// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace sinter::tile_ir {

/// A linear map over GF(2) between bit vectors of at most 32 bits.
///
/// Bit vectors are integers, addition is XOR. The map is its matrix, stored by columns: column i is the image of input
/// bit i, and the image of any x is the XOR of the columns of its set bits. Every question about who holds which
/// element becomes linear algebra on these columns (the view of arXiv 2505.23819).
class BitMap {
 public:
  static constexpr int max_bits = 32;

  BitMap() = default;
  /// The zero map. Throws CompileError when either side exceeds max_bits.
  BitMap(int inputs, int outputs);
  /// Columns in order of the input bits. Throws CompileError when a column does not fit into `outputs` bits.
  BitMap(std::span<const uint32_t> columns, int outputs);
  static BitMap identity(int bits);

  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  uint32_t column(int input) const { return columns_[static_cast<size_t>(input)]; }
  std::span<const uint32_t> columns() const { return {columns_.data(), static_cast<size_t>(inputs_)}; }

  /// Image of the bit vector x. Bits at and above inputs() are ignored.
  uint32_t apply(uint32_t x) const;

  /// Dimension of the image.
  int rank() const;
  bool injective() const { return rank() == inputs_; }
  bool surjective() const { return rank() == outputs_; }

  /// The input bits whose columns are independent of the columns of all lower bits. Their columns are a basis of the
  /// image; every other input bit is redundant: each image is reached with the redundant bits equal to zero.
  uint32_t pivots() const;

  /// A map X with A X A = A whose values use pivot bits only. X is the left inverse of an injective A, a right inverse
  /// of a surjective A, and the inverse of a bijective one. Vectors outside the image go to the preimage of their part
  /// in the image, along a complement spanned by unit vectors.
  BitMap pseudo_inverse() const;

  friend bool operator==(const BitMap&, const BitMap&) = default;

 private:
  std::array<uint32_t, max_bits> columns_{};  // unused columns stay zero, so equality may compare whole arrays
  int inputs_ = 0;
  int outputs_ = 0;
};

/// outer(inner(x)). Throws CompileError when outer takes fewer bits than inner gives.
BitMap compose(const BitMap& outer, const BitMap& inner);

}  // namespace sinter::tile_ir
