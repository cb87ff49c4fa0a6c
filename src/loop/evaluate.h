// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/loop/program.h"

namespace sinter::loop {

/// Memory of an input or output: element addresses 0 to elements - 1.
struct HostMemory {
  void* data = nullptr;
  int64_t elements = 0;
};

/// A tensor of a call while a program is evaluated.
struct CallMemory {
  DType dtype;
  std::vector<int64_t> shape, strides;  ///< in elements
  void* data = nullptr;                 ///< element 0
};

/// Computes a call: how an op's reference is reached from here (reference::evaluate_call). `symbols` as below.
using CallEvaluator = std::function<void(const Call& call, std::span<const CallMemory> operands,
                                         std::span<const CallMemory> results, std::span<const int64_t> symbols)>;

/// Runs a program on host arrays, slowly and obviously: the oracle of everything below the loop IR. `symbols` are the
/// values of the symbols (numbers: int64, or the bits of a double, as Program::number_types says); inputs and outputs
/// are by position. Reductions fold in the canonical order. A program with calls needs `call`.
///
/// Throws CompileError for an access outside its buffer (by dim, or by memory), or to a temporary that was not written;
/// UserError with the program's message for a checked index out of range.
void evaluate(const Program& program, std::span<const HostMemory> inputs, std::span<const HostMemory> outputs,
              std::span<const int64_t> symbols, const CallEvaluator& call = {});

}  // namespace sinter::loop
