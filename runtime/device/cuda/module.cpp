// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/module.h"

#include <fmt/format.h>

#include "runtime/device/elf.h"

namespace sinter::device::cuda {

CudaFunction::CudaFunction(const Context& context, CUfunction function, size_t shared_bytes_per_block)
    : handle_(function) {
  const Driver& driver = context.driver();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    context.check(driver.FuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  };
  info_.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  info_.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  info_.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info_.max_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  const int dynamic = static_cast<int>(shared_bytes_per_block) - info_.static_shared_bytes;
  context.check(driver.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic),
                "cuFuncSetAttribute");
}

CudaModule::CudaModule(const Context& context, std::span<const std::byte> image, const Properties& properties)
    : context_(context), shared_bytes_per_block_(properties.shared_bytes_per_block) {
  const ElfFile elf(image, "CUDA image");  // the driver takes no length, so a cut-off image must not reach it
  if (elf.header().e_machine != EM_CUDA) elf.damaged("not made for CUDA");
  const Context::Guard current(context_);
  const OutsideCapture relaxed(context_.driver());
  const CUresult result = context_.driver().ModuleLoadData(&module_, image.data());
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
      result == CUDA_ERROR_INVALID_SOURCE || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
      result == CUDA_ERROR_INVALID_PTX)
    throw CompileError(fmt::format("{} ({}, driver for CUDA {}.{}) does not accept an image of {} bytes: {}",
                                   context_.text(), properties.architecture, context_.driver().version / 1000,
                                   context_.driver().version % 1000 / 10, image.size(), context_.describe(result)));
  context_.check(result, "cuModuleLoadData");
}

CudaModule::~CudaModule() {
  try {
    const Context::Guard current(context_);
    const OutsideCapture relaxed(context_.driver());
    context_.driver().ModuleUnload(module_);
  } catch (const DeviceError&) {  // NOLINT(bugprone-empty-catch): the device is gone and its modules with it
  }
}

Function* CudaModule::function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = functions_.find(name); found != functions_.end()) return &found->second;
  const Context::Guard current(context_);
  const OutsideCapture relaxed(context_.driver());
  CUfunction function = nullptr;
  const CUresult result = context_.driver().ModuleGetFunction(&function, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) throw CompileError("internal: the CUDA image has no entry " + name);
  context_.check(result, "cuModuleGetFunction");
  return &functions_.try_emplace(name, context_, function, shared_bytes_per_block_).first->second;
}

}  // namespace sinter::device::cuda
