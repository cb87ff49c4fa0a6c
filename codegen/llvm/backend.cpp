// SPDX-License-Identifier: Apache-2.0
// The exported face of the shared object: no exception leaves it.
#include "codegen/llvm/backend.h"

#include <exception>
#include <string>

#include "codegen/llvm/compile.h"
#include "codegen/llvm/target.h"

namespace sinter::llvm_codegen {

namespace {

template <class Make>
bool guarded(Make make, BackendTable::Sink result, BackendTable::Sink error, void* context) noexcept {
  std::string message;
  try {
    const auto made = make();
    result(context, made.data(), made.size());
    return true;
  } catch (const std::exception& e) {
    message = e.what();
  } catch (...) {
    message = "unknown exception in the LLVM back end";
  }
  error(context, message.data(), message.size());
  return false;
}

bool compile_entry(const tile_ir::Kernel* kernel, const TargetOptions* options, BackendTable::Sink object,
                   BackendTable::Sink error, void* context) {
  return guarded([&] { return compile(*kernel, *options); }, object, error, context);
}

bool print_entry(const tile_ir::Kernel* kernel, const TargetOptions* options, BackendTable::Sink text,
                 BackendTable::Sink error, void* context) {
  return guarded([&] { return print_ir(*kernel, *options); }, text, error, context);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const BackendTable* sinter_llvm_backend() {
  static const BackendTable table{version(), compile_entry, print_entry};
  return &table;
}

}  // namespace sinter::llvm_codegen
