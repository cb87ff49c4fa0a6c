// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/backend.h"

#include "runtime/device/builtin.h"

namespace sinter::device {

std::unique_ptr<Backend> make_cuda_backend(int index) {
  throw DeviceError({.op = {},
                     .what = Device::cuda(index).text() + " requested, but this Sinter was built without CUDA",
                     .line = {},
                     .context = {},
                     .fix =
                         "build it where cuda.h and nvrtc.h are found (SINTER_WITH_CUDA=ON says what is missing), or "
                         "use Device::best(), which is the CPU here"});
}

}  // namespace sinter::device
