// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_text/device_kernel.h"

#include <mutex>
#include <span>

#include "codegen/tile/laid_out.h"
#include "tests/simt/backend.h"

namespace sinter::cuda::testing {

device::Backend& gpu() {
  static std::once_flag once;
  std::call_once(once, simt::install);
  return device::backend(Device::cuda(0));
}

DeviceKernel::DeviceKernel(const CudaText& text)
    : text_(text),
      module_(gpu().load(std::as_bytes(std::span(text_.text)))),
      function_(module_->function(text_.entry)) {}

DeviceKernel::DeviceKernel(const tile::Kernel& kernel) : DeviceKernel(emit(tile::assign_layouts(kernel))) {}

void DeviceKernel::launch(int64_t grid, const std::vector<uint64_t>& slots) const {
  gpu().launch(*function_, {.grid = grid, .threads = text_.threads}, slots.data(), slots.size(), nullptr);
}

}  // namespace sinter::cuda::testing
