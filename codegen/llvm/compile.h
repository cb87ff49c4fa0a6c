// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/llvm/backend.h"

namespace sinter::llvm_codegen {

/// Tile kernel -> relocatable object. Throws CompileError.
std::vector<std::byte> compile(const tile_ir::Kernel& kernel, const TargetOptions& options);
/// The LLVM IR after optimisation.
std::string print_ir(const tile_ir::Kernel& kernel, const TargetOptions& options);

}  // namespace sinter::llvm_codegen
