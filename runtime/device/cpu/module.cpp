// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/module.h"

#include <sinter/error.h>

namespace sinter::device::cpu {

namespace {

class KernelModule final : public Module {
 public:
  KernelModule(const std::vector<std::pair<std::string, CpuKernel>>& kernels, std::shared_ptr<void> owner)
      : owner_(std::move(owner)) {
    for (const auto& [name, kernel] : kernels) functions_.try_emplace(name, kernel);
  }
  Function* function(const std::string& name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) throw CompileError("internal: the CPU module has no entry " + name);
    return &found->second;
  }

 private:
  std::shared_ptr<void> owner_;
  std::map<std::string, CpuFunction> functions_;
};

}  // namespace

Function* ObjectModule::function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = functions_.find(name); found != functions_.end()) return &found->second;
  void* address = object_->symbol(name);
  if (address == nullptr) throw CompileError("internal: the CPU object has no entry " + name);
  return &functions_.try_emplace(name, reinterpret_cast<CpuKernel>(address)).first->second;
}

std::shared_ptr<Module> make_module(const std::vector<std::pair<std::string, CpuKernel>>& kernels,
                                    std::shared_ptr<void> owner) {
  return std::make_shared<KernelModule>(kernels, std::move(owner));
}

}  // namespace sinter::device::cpu
