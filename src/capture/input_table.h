// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/tensor/impl.h"

namespace sinter::capture {

/// Finds a tensor among the inputs of a region in constant time: a few are compared one by one, more of them are in a
/// hash table. Inputs that were added since the last search are taken in by the next one.
class InputTable {
 public:
  /// Its number among the inputs, or -1.
  int32_t find(std::span<const Tensor> inputs, const tensor::TensorImpl* impl);
  /// To be called where inputs go or become others.
  void clear();

 private:
  static constexpr size_t few = 16;
  size_t place(const tensor::TensorImpl* impl) const;
  void insert(std::span<const Tensor> inputs, size_t number);
  void grow(std::span<const Tensor> inputs);

  std::vector<int32_t> places_;  ///< input numbers or -1; a power of two, at most half of it in use
  size_t known_ = 0;             ///< inputs in the table
};

}  // namespace sinter::capture
