// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "src/reference/array.h"

namespace sinter::reference {

using Combine = std::function<scalar::Constant(const scalar::Constant& earlier, const scalar::Constant& later)>;

/// Scans one dim of an array (a 0-d array is only converted) in the canonical order: a run of 2^k elements within a
/// chunk of 8192 scans its halves and combines the first one's last element with each of the second; chunks combine
/// from left to right with what is before them. Elements are converted to the compute type of `result` first, scanned
/// ones rounded to `result`.
Array scan(const Array& x, size_t dim, DType result, const Combine& combine);

}  // namespace sinter::reference
