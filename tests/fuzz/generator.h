// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

struct GeneratorOptions {
  int max_ops = 20;
  int one_write_in = 16;           ///< of so many statements one writes to an input
  bool symbols = true;             ///< some graphs have promoted numbers and symbolic extents, and two calls
  bool platform_functions = true;  ///< f64 functions that are the platform's on CUDA, so that bits differ there
};

/// A random graph over all registered ops: shared values, several outputs, every dtype, views, broadcasts, folds, data
/// as indices, writes to inputs through views, sizes around the powers of two, inputs strided, overlapping, reversed,
/// offset and misaligned. The same seed and options give the same case.
Case generate(uint64_t seed, const GeneratorOptions& options = {});

}  // namespace sinter::fuzz
