// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/machine.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace sinter::device::cuda {

namespace {

/// Bytes a second that a copy kernel reaches (read + written), measured.
double copy_bandwidth(std::string_view name) { return name == "NVIDIA H200" ? 4.08e12 : 0; }

}  // namespace

std::string architecture(int major, int minor) {
  return fmt::format("sm_{}{}{}", major, minor, major == 9 && minor == 0 ? "a" : "");
}

Properties machine(const Context& context) {
  const Driver& driver = context.driver();
  Properties p;
  std::array<char, 256> name{};
  context.check(driver.DeviceGetName(name.data(), static_cast<int>(name.size()) - 1, context.device()),
                "cuDeviceGetName");
  p.name = name.data();
  p.architecture = architecture(context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  p.driver = fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10);
  p.multiprocessors = context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  p.max_threads_per_block = context.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  p.shared_bytes_per_block =
      static_cast<size_t>(context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  p.l2_bytes = static_cast<size_t>(context.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  context.check(driver.DeviceTotalMem(&p.memory_bytes, context.device()), "cuDeviceTotalMem");
  p.copy_bytes_per_second = copy_bandwidth(p.name);
  return p;
}

}  // namespace sinter::device::cuda
