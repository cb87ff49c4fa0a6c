// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <string>
#include <vector>

// Products on a device against sums in double. Each returns what differed.
namespace sinter::test {

/// Every pair of memory layouts (row-major, transposed, part of a wider matrix, misaligned, broadcast rows) over
/// extents 0, 1, 3, 16 and 33, f32, f16 and bf16: whole numbers whose sums are exact, so that bits must be equal.
std::vector<std::string> exact_matrices(Device device);
/// Batches: broadcast on either side, several dims, gaps between matrices, 1-d arguments.
std::vector<std::string> exact_batches(Device device);
/// linear and addmm with every kind of bias, relu and gelu behind them, inside compile(): fused and not.
std::vector<std::string> exact_epilogues(Device device);
/// Random values: within the bound of docs/semantics.md.
std::vector<std::string> random_products(Device device);
/// NaN and infinities of sums and biases go through relu and gelu as the ops' own.
std::vector<std::string> special_values(Device device);

}  // namespace sinter::test
