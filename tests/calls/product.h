// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <atomic>

namespace sinter::test {

/// Registers, once: the op test_product, scale * (x[m,k] @ y[k,n]) in f32, negated by a flag, which only a provider
/// computes; test_product_or_sum, which is the same and decomposes to products and sums; and the provider "loops" of
/// both, which refuses k = 13. Makes Device::cuda(0) the emulator.
void register_product();

/// Calls of test_product in a user's program.
Tensor product(Operand x, Operand y, double scale = 1, bool negate = false);
Tensor product_or_sum(Operand x, Operand y);

/// How often the provider made a call ready, and ran one.
struct ProductCounts {
  std::atomic<int> prepared{0}, ran{0};
};
ProductCounts& product_counts();

}  // namespace sinter::test
