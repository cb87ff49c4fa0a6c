// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <sinter/error.h>

#include <span>
#include <string>
#include <vector>

#include "codegen/llvm/backend.h"

namespace sinter::llvm_codegen {

/// The back end of a module file, opened with local symbols on first use and kept. Throws CompileError if it is not
/// there.
inline const BackendTable& open_backend(const char* module) {
  static const BackendTable* const table = [module] {
    void* handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw CompileError(std::string("the LLVM back end cannot be opened: ") + dlerror());
    const auto entry = reinterpret_cast<BackendEntry>(dlsym(handle, backend_symbol));
    if (!entry) throw CompileError(std::string("no LLVM back end in ") + module);
    return entry();
  }();
  return *table;
}

/// Compiles through the table. Throws CompileError with the back end's message.
inline std::vector<std::byte> compile_through(const BackendTable& table, const tile_ir::Kernel& kernel,
                                              const TargetOptions& options) {
  struct Result {
    std::vector<std::byte> object;
    std::string error;
  } result;
  const auto on_object = [](void* r, const void* data, size_t n) {
    const auto* bytes = static_cast<const std::byte*>(data);
    static_cast<Result*>(r)->object.assign(bytes, bytes + n);
  };
  const auto on_error = [](void* r, const void* data, size_t n) {
    static_cast<Result*>(r)->error.assign(static_cast<const char*>(data), n);
  };
  if (!table.compile(&kernel, &options, on_object, on_error, &result)) throw CompileError(result.error);
  return std::move(result.object);
}

}  // namespace sinter::llvm_codegen
