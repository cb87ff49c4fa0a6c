// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <string>

namespace sinter::cuda {

/// C type of a compute type: bool, int, unsigned, long long, unsigned long long, float, double.
const char* compute_name(DType t);
/// C type behind a pointer of a storage dtype; 16-bit floats are their bits.
const char* storage_name(DType t);
/// A literal of a compute type that reads back bit-exactly and fits into any expression.
std::string literal(DType t, uint64_t bits);

}  // namespace sinter::cuda
