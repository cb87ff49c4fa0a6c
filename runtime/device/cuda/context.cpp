// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/context.h"

#include <fmt/format.h>

#include "runtime/device/user_ops.h"

namespace sinter::device::cuda {

namespace {

/// Errors after which a context does nothing any more.
bool ends_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

/// Sinter's own kernels check their addresses; those of users' ops are the first to look at.
std::string suspects() {
  const std::string names = launched_user_ops();
  return names.empty() ? "" : "; ops of one's own that were launched: " + names;
}

}  // namespace

Context::Context(const Driver& driver, int index) : driver_(driver), index_(index) {
  check(driver.DeviceGet(&device_, index), "cuDeviceGet");
  check(driver.DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

int Context::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(driver_.DeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

std::string Context::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  driver_.GetErrorName(result, &name);
  driver_.GetErrorString(result, &text);
  return fmt::format("{} ({})", text ? text : "unknown error", name ? name : std::to_string(result).c_str());
}

void Context::fail(CUresult result, const char* call) const {
  const std::lock_guard lock(mutex_);
  if (!fault_.empty())
    throw DeviceError({.op = {},
                       .what = fmt::format("{} cannot be used any more in this process", text()),
                       .line = {},
                       .context = "it stopped earlier: " + fault_,
                       .fix = "start the process again"});
  if (!ends_context(result)) throw DeviceError(fmt::format("{}: {} failed: {}", text(), call, describe(result)));
  fault_ = describe(result);
  throw DeviceError(
      {.op = {},
       .what = fmt::format("{} stopped: {}", text(), fault_),
       .line = {},
       .context = fmt::format("noticed by {}; the cause is work queued before it{}", call, suspects()),
       .fix = "the device stays unusable in this process; compute-sanitizer names the kernel and address"});
}

}  // namespace sinter::device::cuda
