// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/generate_code.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <sinter/error.h>

namespace sinter::llvm_codegen {

void generate_code(llvm::Module& module, llvm::TargetMachine& machine, llvm::raw_pwrite_stream& out,
                   llvm::CodeGenFileType kind) {
  auto& target = static_cast<llvm::LLVMTargetMachine&>(machine);
  llvm::legacy::PassManager passes;
  auto* info = new llvm::MachineModuleInfoWrapperPass(&target);  // the pass manager owns both
  llvm::TargetPassConfig* config = target.createPassConfig(passes);
  config->setDisableVerify(true);
  // Before register allocation this pass would keep every constant of a polynomial in a register across the whole loop
  // over programs; most then spill, and allocation takes longer than all the rest. In place they are memory operands.
  config->disablePass(&llvm::EarlyMachineLICMID);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) throw CompileError("LLVM cannot select instructions for this machine");
  config->addMachinePasses();
  config->setInitialized();
  if (target.addAsmPrinter(passes, out, nullptr, kind, info->getMMI().getContext()))
    throw CompileError("LLVM cannot write objects for this machine");
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
}

}  // namespace sinter::llvm_codegen
