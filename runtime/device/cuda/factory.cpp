// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/device/builtin.h"
#include "runtime/device/cuda/backend.h"
#include "runtime/device/cuda/driver.h"
#include "runtime/device/cuda/nvrtc.h"

// Makes the CUDA device, or says in words why there is none.

namespace sinter::device {

namespace {

constexpr const char* otherwise = "or use Device::best(), which is the CPU here";

[[noreturn]] void absent(int index, const std::string& what, const std::string& context, const std::string& fix) {
  throw DeviceError({.op = {},
                     .what = fmt::format("{} requested, but {}", Device::cuda(index).text(), what),
                     .line = {},
                     .context = context,
                     .fix = fmt::format("{}; {}", fix, otherwise)});
}

/// The driver that the loaded NVRTC's code needs.
std::string needed_driver() {
  return cuda::nvrtc_version().version >= 13000 ? "needs driver >= 580 for CUDA 13"
                                                : "needs driver >= 550 for CUDA 12.4";
}

/// DeviceError unless the driver works and has the device.
const cuda::Driver& usable_driver(int index) {
  const cuda::DriverResult& result = cuda::driver();
  if (result.too_old > 0)
    absent(index, "the CUDA driver is too old", fmt::format("found {}   {}", result.tried, needed_driver()),
           "install a newer driver");
  if (result.driver == nullptr)
    absent(index, "no CUDA driver could be loaded",
           fmt::format("tried {}   {}   {}", result.tried, cuda::nvrtc_version().text, needed_driver()),
           "in a container add --gpus all; on a host install the driver");
  const cuda::Driver& driver = *result.driver;
  int count = 0;
  CUresult state = result.initialisation;
  if (state == CUDA_SUCCESS) state = driver.DeviceGetCount(&count);
  if (state == CUDA_ERROR_NO_DEVICE || (state == CUDA_SUCCESS && count == 0))
    absent(index, "there is no GPU", "found " + result.tried,
           "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container add --gpus all");
  if (state != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.GetErrorString(state, &text);
    absent(index, "the CUDA driver does not start",
           fmt::format("found {}   cuInit: {}", result.tried, text ? text : std::to_string(state).c_str()),
           "check nvidia-smi; after a driver update restart the machine");
  }
  if (index < 0 || index >= count)
    absent(index, fmt::format("there {} {} GPU{}", count == 1 ? "is" : "are", count, count == 1 ? "" : "s"),
           "CUDA_VISIBLE_DEVICES may hide some",
           fmt::format("use cuda:0{}", count > 1 ? fmt::format(" to cuda:{}", count - 1) : ""));
  return driver;
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(int index) { return cuda::make_backend(usable_driver(index), index); }

}  // namespace sinter::device
