// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/codegen.h"

namespace sinter::compiler {

CodeImage generate_code(const schedule::ScheduledKernel& kernel, Device device, const device::Properties& properties) {
  return device.is_cuda() ? generate_cuda(kernel, properties) : generate_cpu(kernel, properties);
}

bool has_code_generator([[maybe_unused]] Device device, [[maybe_unused]] const device::Properties& properties) {
  if (device.is_cuda()) return true;
#ifdef SINTER_WITH_LLVM
  // Below x86-64-v3 and NEON there is no fused multiply-add, which the expansions of transcendental functions stand on.
  return properties.vector_bits >= 256 || properties.architecture == "aarch64";
#else
  return false;
#endif
}

}  // namespace sinter::compiler
