// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace llvm {
class Module;
}  // namespace llvm

namespace sinter::llvm_codegen {

/// Writes the object or the assembly of an optimised module.
void generate_code(llvm::Module& module, llvm::TargetMachine& machine, llvm::raw_pwrite_stream& out,
                   llvm::CodeGenFileType kind);

}  // namespace sinter::llvm_codegen
