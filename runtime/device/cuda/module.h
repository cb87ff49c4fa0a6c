// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/context.h"

namespace sinter::device::cuda {

class CudaFunction final : public Function {
 public:
  /// Allows the function all the dynamic shared memory that a block can have.
  CudaFunction(const Context& context, CUfunction function, size_t shared_bytes_per_block);
  FunctionInfo info() const override { return info_; }
  CUfunction handle() const { return handle_; }

 private:
  CUfunction handle_;
  FunctionInfo info_;
};

class CudaModule final : public Module {
 public:
  /// Loads a cubin. CompileError if the device does not accept it (made for another architecture, damaged).
  CudaModule(const Context& context, std::span<const std::byte> image, const Properties& properties);
  ~CudaModule() override;
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;
  Function* function(const std::string& name) override;

 private:
  const Context& context_;
  size_t shared_bytes_per_block_;
  CUmodule module_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, CudaFunction> functions_;
};

}  // namespace sinter::device::cuda
