// SPDX-License-Identifier: Apache-2.0
#include "src/capture/input_table.h"

#include <algorithm>
#include <bit>

namespace sinter::capture {

int32_t InputTable::find(std::span<const Tensor> inputs, const tensor::TensorImpl* impl) {
  if (inputs.size() <= few) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].impl() == impl) return static_cast<int32_t>(i);
    return -1;
  }
  if (2 * inputs.size() > places_.size()) grow(inputs);
  while (known_ < inputs.size()) insert(inputs, known_++);
  for (size_t at = place(impl);; at = (at + 1) & (places_.size() - 1)) {
    const int32_t number = places_[at];
    if (number < 0 || inputs[static_cast<size_t>(number)].impl() == impl) return number;
  }
}

void InputTable::clear() {
  if (known_ == 0) return;
  std::ranges::fill(places_, -1);
  known_ = 0;
}

/// Fibonacci hashing: handles are aligned blocks, whose low bits say nothing.
size_t InputTable::place(const tensor::TensorImpl* impl) const {
  constexpr uint64_t golden_ratio = 0x9e3779b97f4a7c15u;
  return (reinterpret_cast<uintptr_t>(impl) * golden_ratio) >> (64 - std::countr_zero(places_.size()));
}

void InputTable::insert(std::span<const Tensor> inputs, size_t number) {
  size_t at = place(inputs[number].impl());
  while (places_[at] >= 0) at = (at + 1) & (places_.size() - 1);
  places_[at] = static_cast<int32_t>(number);
}

void InputTable::grow(std::span<const Tensor> inputs) {
  places_.assign(std::bit_ceil(4 * inputs.size()), -1);
  known_ = 0;
}

}  // namespace sinter::capture
