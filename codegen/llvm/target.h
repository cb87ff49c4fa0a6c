// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "codegen/llvm/backend.h"

namespace sinter::llvm_codegen {

/// The target machine for `options`, made once per thread (it must not be shared between threads). Throws CompileError
/// for an architecture without code generation: CPUs below x86-64-v3 interpret.
llvm::TargetMachine& target_machine(const TargetOptions& options);

/// LLVM's version and ours.
const char* version();

}  // namespace sinter::llvm_codegen
