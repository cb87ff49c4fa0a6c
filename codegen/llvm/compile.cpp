// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/compile.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <sinter/error.h>

#include <memory>

#include "codegen/llvm/generate_code.h"
#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/optimize.h"
#include "codegen/llvm/target.h"
#include "codegen/tile/expand_grid_reduces.h"

namespace sinter::llvm_codegen {

namespace {

/// The LLVM module of one kernel, optimised.
class CompiledModule {
 public:
  CompiledModule(tile_ir::Kernel kernel, const TargetOptions& options)
      : machine_(target_machine(options)), module_(std::make_unique<llvm::Module>(kernel.name, context_)) {
    tile_ir::verify(kernel);
    tile_ir::expand_grid_reduces(kernel);
    context_.setDiscardValueNames(true);
    module_->setTargetTriple(machine_.getTargetTriple().str());
    module_->setDataLayout(machine_.createDataLayout());
    emit_kernel(*module_, kernel, options.vector_bits);
    std::string error;
    llvm::raw_string_ostream out(error);
    if (llvm::verifyModule(*module_, &out))
      throw CompileError(fmt::format("internal: kernel {} became wrong LLVM IR: {}", kernel.name, out.str()));
    optimize(*module_, machine_);
  }

  llvm::SmallVector<char, 0> object() {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    generate_code(*module_, machine_, out, llvm::CodeGenFileType::ObjectFile);
    return bytes;
  }

  std::string text() const {
    std::string s;
    llvm::raw_string_ostream out(s);
    module_->print(out, nullptr);
    return s;
  }

 private:
  llvm::LLVMContext context_;
  llvm::TargetMachine& machine_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace

std::vector<std::byte> compile(const tile_ir::Kernel& kernel, const TargetOptions& options) {
  const llvm::SmallVector<char, 0> object = CompiledModule(kernel, options).object();
  const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
  return {bytes, bytes + object.size()};
}

std::string print_ir(const tile_ir::Kernel& kernel, const TargetOptions& options) {
  return CompiledModule(kernel, options).text();
}

}  // namespace sinter::llvm_codegen
