// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sinter::device::cpu {

/// A relocatable ELF object (as the LLVM back end emits it: position independent, no undefined symbols but a fixed list
/// of the C library's) mapped into memory, code read-only and executable. Loading needs no LLVM.
class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  /// Address of a defined symbol, or nullptr.
  virtual void* symbol(const std::string& name) const = 0;
};

/// Throws CompileError for a malformed object, an unknown relocation or an unresolved symbol.
std::shared_ptr<LoadedObject> load_object(std::span<const std::byte> object);

}  // namespace sinter::device::cpu
