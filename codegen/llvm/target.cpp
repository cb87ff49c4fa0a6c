// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/target.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <sinter/error.h>

#include <map>
#include <memory>
#include <mutex>

namespace sinter::llvm_codegen {

namespace {

/// Counts changes of the emitter that change objects.
constexpr int revision = 2;

std::unique_ptr<llvm::TargetMachine> make(const std::string& architecture) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  const bool known = triple.getArch() == llvm::Triple::x86_64
                         ? architecture == "x86-64-v3" || architecture == "x86-64-v4"
                         : triple.getArch() == llvm::Triple::aarch64 && architecture == "aarch64";
  if (!known) throw CompileError(fmt::format("no code generation for {} here", architecture));
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (!target) throw CompileError("LLVM: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a * b + c is two roundings unless it is an fma
  const std::string cpu = triple.getArch() == llvm::Triple::aarch64 ? "generic" : architecture;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple.str(), cpu, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

}  // namespace

llvm::TargetMachine& target_machine(const TargetOptions& options) {
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine>& machine = machines[options.architecture];
  if (!machine) machine = make(options.architecture);
  return *machine;
}

const char* version() {
  static const std::string text = fmt::format("LLVM {}, revision {}", LLVM_VERSION_STRING, revision);
  return text.c_str();
}

}  // namespace sinter::llvm_codegen
