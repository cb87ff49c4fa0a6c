// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/launch.h"
#include "runtime/device/cpu/object_loader.h"

namespace sinter::device::cpu {

class CpuFunction final : public Function {
 public:
  explicit CpuFunction(CpuKernel k) : kernel(k) {}
  FunctionInfo info() const override { return {}; }

  const CpuKernel kernel;
  Cost cost;
};

/// The entries of a loaded object.
class ObjectModule final : public Module {
 public:
  explicit ObjectModule(std::shared_ptr<LoadedObject> object) : object_(std::move(object)) {}
  Function* function(const std::string& name) override;

 private:
  std::shared_ptr<LoadedObject> object_;
  std::mutex mutex_;
  std::map<std::string, CpuFunction> functions_;
};

/// A module of kernels that are already in memory. `owner` is kept alive as long as the module.
std::shared_ptr<Module> make_module(const std::vector<std::pair<std::string, CpuKernel>>& kernels,
                                    std::shared_ptr<void> owner = nullptr);

}  // namespace sinter::device::cpu
