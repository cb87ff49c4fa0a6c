// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/compile_source.h"

#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

#include <sinter/error.h>

namespace sinter::saved {

std::string compile_source(const std::string& text, [[maybe_unused]] std::string_view entry,
                           std::string_view architecture) {
  if (architecture == "simt") return text;  // the emulator runs the text itself
#ifdef SINTER_WITH_CUDA
  const device::cuda::CompileResult result =
      device::cuda::compile({text, entry, architecture, device::cuda::strict_options});
  return {reinterpret_cast<const char*>(result.cubin.data()), result.cubin.size()};
#else
  throw DeviceError("this build has no CUDA support");
#endif
}

}  // namespace sinter::saved
