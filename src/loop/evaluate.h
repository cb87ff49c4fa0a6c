// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "src/loop/program.h"

namespace sinter::loop {

/// Memory of an input or output: element addresses 0 to elements - 1.
struct HostMemory {
  void* data = nullptr;
  int64_t elements = 0;
};

/// Runs a program on host arrays, slowly and obviously: the oracle of everything below the loop IR. `symbols` are the
/// values of the symbols (numbers: int64, or the bits of a double, as Program::number_types says); inputs and outputs
/// are by position. Reductions fold in the canonical order.
///
/// Throws CompileError for an access outside its buffer (by dim, or by memory), or to a temporary that was not written;
/// UserError with the program's message for a checked index out of range.
void evaluate(const Program& program, std::span<const HostMemory> inputs, std::span<const HostMemory> outputs,
              std::span<const int64_t> symbols);

}  // namespace sinter::loop
