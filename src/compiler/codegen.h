// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/schedule/scheduled.h"
#include "runtime/device/backend.h"

namespace sinter::compiler {

/// Machine code of one kernel.
struct CodeImage {
  std::string image;  ///< bytes for Backend::load
  std::string key;    ///< canonical bytes of everything that decided the image
  std::string entry;
  int threads = 1;        ///< CUDA: block size; CPU: programs that a thread should get at least
  int shared_bytes = 0;   ///< dynamic
  std::string source;     ///< text for people
  double machine_ms = 0;  ///< NVRTC or LLVM took
};

/// Scheduled kernel -> code for a device. The same function for every kind of device, chosen by properties.
CodeImage generate_code(const schedule::ScheduledKernel& kernel, Device device, const device::Properties& properties);

CodeImage generate_cuda(const schedule::ScheduledKernel& kernel, const device::Properties& properties);
CodeImage generate_cpu(const schedule::ScheduledKernel& kernel, const device::Properties& properties);

/// Can kernels be generated for this device, or must the interpreter run?
bool has_code_generator(Device device, const device::Properties& properties);

}  // namespace sinter::compiler
