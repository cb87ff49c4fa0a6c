// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/exec/plan.h"
#include "src/tensor/impl.h"

namespace sinter::exec {

/// One loaded kernel and what is known about it.
struct LoadedKernel {
  std::shared_ptr<device::Module> module;
  device::Function* function = nullptr;
  std::string source;  ///< text for explain(); empty when it came from disk
};

/// What a call hands over. Symbol ids of the plan are positions in `symbols`.
struct Arguments {
  std::span<tensor::TensorImpl* const> inputs;
  std::span<const int64_t> symbols;
};

/// A plan with its kernels loaded on one device; immutable, used by many threads.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Computes outputs[i] into fresh memory (or an alias of an input where the plan says so) on the current stream:
  /// fills dtype, device, storage, offset, shape and strides of each.
  virtual void run(const Arguments& arguments, std::span<tensor::TensorImpl* const> outputs) const = 0;
  virtual const Plan& plan() const = 0;
  virtual std::span<const LoadedKernel> kernels() const = 0;
  virtual int64_t launches() const = 0;  ///< per call
};

std::shared_ptr<const Executable> make_executable(Plan plan, std::vector<LoadedKernel> kernels);

int64_t evaluate(std::span<const HostInstruction> code, const HostExpr& e, std::span<const int64_t> symbols);
inline int64_t evaluate(const Plan& plan, const HostExpr& e, std::span<const int64_t> symbols) {
  return evaluate(plan.code, e, symbols);
}

}  // namespace sinter::exec
