// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/nvrtc.h"

#include <sinter/error.h>

namespace sinter::device::cuda {

CompileResult compile(const CompileRequest&) {
  throw DeviceError("CUDA kernels cannot be compiled: this Sinter was built without CUDA");
}

NvrtcVersion nvrtc_version() { return {0, "NVRTC: built without CUDA"}; }

}  // namespace sinter::device::cuda
