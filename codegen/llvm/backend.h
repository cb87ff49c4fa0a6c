// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codegen/tile/ir.h"

namespace sinter::llvm_codegen {

/// What code is made for. Together with the kernel's text and `BackendTable::version` this decides the object, so the
/// three make a cache key.
struct TargetOptions {
  std::string architecture;  ///< device::Properties::architecture: "x86-64-v3", "x86-64-v4", "aarch64"
  int vector_bits = 256;     ///< device::Properties::vector_bits
  friend bool operator==(const TargetOptions&, const TargetOptions&) = default;
};

/// The entry points of the LLVM back end. It lives in a shared object of its own with hidden symbols, so nothing but
/// this table crosses: no exception, no memory that the other side frees.
///
/// A kernel compiles to a relocatable ELF object with one defined symbol, the kernel's name, a device::CpuKernel. Code
/// is position independent; undefined symbols are at most those that runtime/device/cpu/object_loader.cpp resolves, and
/// none in f32 code.
struct BackendTable {
  using Sink = void (*)(void* context, const void* data, size_t bytes);
  /// "LLVM 19.1.7, revision 1": changes whenever the same kernel may give another object.
  const char* version;
  /// Verifies the logical form and compiles it. Calls `object` once and returns true, or `error` with a message and
  /// returns false. Thread safe.
  bool (*compile)(const tile_ir::Kernel* kernel, const TargetOptions* options, Sink object, Sink error, void* context);
  /// The optimised LLVM IR text, for people; otherwise as `compile`.
  bool (*print_ir)(const tile_ir::Kernel* kernel, const TargetOptions* options, Sink text, Sink error, void* context);
};

/// The exported function `sinter_llvm_backend` has this type.
using BackendEntry = const BackendTable* (*)();
inline constexpr const char* backend_symbol = "sinter_llvm_backend";

}  // namespace sinter::llvm_codegen
