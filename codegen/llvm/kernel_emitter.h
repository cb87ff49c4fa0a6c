// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/backend.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace sinter::llvm_codegen {

/// Appends the entry function of a verified kernel to the module.
void emit_kernel(llvm::Module& module, const tile_ir::Kernel& kernel, int vector_bits);

}  // namespace sinter::llvm_codegen
