// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace sinter::llvm_codegen {

/// The passes between the emitter and code generation. The emitter already writes vectors, so only what repeats and
/// what does not change in a loop has to go.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace sinter::llvm_codegen
