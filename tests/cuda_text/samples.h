// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::cuda::testing {

/// An argument of a kernel: the contents of an array, or a number.
struct Argument {
  std::vector<unsigned char> bytes;
  uint64_t number = 0;
  bool is_array = false;
};

/// A hand-written kernel of tests/cuda_text/kernels with arguments to run it on.
struct Sample {
  std::string name;
  tile_ir::Kernel kernel;
  int64_t grid = 1;
  std::vector<std::vector<Argument>> calls;  ///< one list of arguments each
};

std::vector<Sample> samples();

}  // namespace sinter::cuda::testing
