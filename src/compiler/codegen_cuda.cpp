// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/emit.h"
#include "codegen/tile/laid_out.h"
#include "src/compiler/codegen.h"
#include "src/graph/seeded_fault.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

#include <sinter/error.h>

#include <chrono>

namespace sinter::compiler {

CodeImage generate_cuda(const schedule::ScheduledKernel& kernel, const device::Properties& properties) {
  const cuda::CudaText text =
      cuda::emit(tile_ir::assign_layouts(kernel.kernel), !planted(graph::Fault::missing_barrier));
  CodeImage out;
  out.entry = text.entry;
  out.threads = text.threads;
  out.shared_bytes = text.dynamic_shared_bytes;
  out.source = text.text;
  out.key = properties.architecture + "\n" + text.text;
  if (properties.architecture == "simt") {  // the emulator runs the text itself
    out.image = text.text;
    return out;
  }
#ifdef SINTER_WITH_CUDA
  const auto begin = std::chrono::steady_clock::now();
  const device::cuda::CompileResult result =
      device::cuda::compile({text.text, text.entry, properties.architecture, device::cuda::strict_options});
  out.image.assign(reinterpret_cast<const char*>(result.cubin.data()), result.cubin.size());
  out.machine_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return out;
#else
  throw DeviceError("this build has no CUDA support");
#endif
}

}  // namespace sinter::compiler
