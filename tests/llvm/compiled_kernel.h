// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/llvm/compile.h"
#include "codegen/tile/ir.h"
#include "runtime/device/backend.h"
#include "runtime/device/cpu/machine.h"
#include "runtime/device/cpu/object_loader.h"

namespace sinter::llvm_codegen {

inline TargetOptions host() {
  const device::Properties p = device::cpu::machine();
  return {p.architecture, p.vector_bits};
}

/// A kernel made, loaded and ready to call, the way a cached object is.
class CompiledKernel {
 public:
  explicit CompiledKernel(const tile_ir::Kernel& kernel, const TargetOptions& options = host())
      : object_(compile(kernel, options)),
        loaded_(device::cpu::load_object(object_)),
        entry_(reinterpret_cast<device::CpuKernel>(loaded_->symbol(kernel.name))) {}

  /// Pointers and numbers in the order of the parameters.
  template <class... A>
  void operator()(int64_t begin, int64_t end, A... arguments) const {
    const uint64_t slots[] = {slot(arguments)..., 0};
    entry_(slots, begin, end);
  }

  const std::vector<std::byte>& object() const { return object_; }
  device::CpuKernel entry() const { return entry_; }

  template <class T>
  static uint64_t slot(T value) {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<uint64_t>(value);
    } else if constexpr (std::is_same_v<T, float>) {
      return __builtin_bit_cast(uint32_t, value);
    } else if constexpr (std::is_same_v<T, double>) {
      return __builtin_bit_cast(uint64_t, value);
    } else {
      return static_cast<uint64_t>(value);
    }
  }

 private:
  std::vector<std::byte> object_;
  std::shared_ptr<device::cpu::LoadedObject> loaded_;
  device::CpuKernel entry_;
};

/// The targets that the host can run: its own, and the narrower one below it.
inline std::vector<TargetOptions> runnable_targets() {
  std::vector<TargetOptions> r{host()};
  if (r[0].architecture == "x86-64-v4") r.push_back({"x86-64-v3", 256});
  return r;
}

}  // namespace sinter::llvm_codegen
