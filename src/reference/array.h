// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>
#include <sinter/dtype.h>

#include <cstddef>
#include <span>
#include <vector>

#include "src/scalar/scalar_ops.h"

namespace sinter::reference {

/// A tensor of the reference interpreter: dense, row-major, in storage dtypes.
struct Array {
  DType dtype;
  Dims shape;
  std::vector<std::byte> data;

  /// All bits zero.
  static Array zeros(DType dtype, const Dims& shape);
  /// Values as numbers in row-major order, each rounded to the dtype; their count must be the shape's.
  static Array of(DType dtype, const Dims& shape, std::span<const double> values);

  int64_t size() const { return shape.product(); }
  /// Element `i` in row-major order, in the compute type of the dtype.
  scalar::Constant at(int64_t i) const;
  scalar::Constant at(const Dims& index) const { return at(offset(index)); }
  /// `value` must be of the compute type and representable in the dtype.
  void set(int64_t i, const scalar::Constant& value);
  void set(const Dims& index, const scalar::Constant& value) { set(offset(index), value); }
  /// Row-major position of an index; throws CompileError outside of the shape.
  int64_t offset(const Dims& index) const;
  /// Where element `i` begins; throws CompileError outside of the array.
  size_t byte(int64_t i) const;

  friend bool operator==(const Array&, const Array&) = default;  ///< bit for bit
};

/// `value` rounded to storage dtype `dtype` of its compute type.
scalar::Constant rounded(const scalar::Constant& value, DType dtype);

/// Calls f(index) for every index of a shape in row-major order; once, with no index, for rank 0.
template <class F>
void for_each_index(const Dims& shape, const F& f) {
  Dims index = Dims::filled(shape.size(), 0);
  for (int64_t left = shape.product(); left > 0; --left) {
    f(static_cast<const Dims&>(index));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace sinter::reference
