// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_text/device_kernel.h"

#include <cstdlib>
#include <mutex>
#include <span>

#include "codegen/tile/laid_out.h"
#include "tests/simt/backend.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace sinter::cuda::testing {

device::Backend& gpu() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("SINTER_TEST_GPU") == nullptr) simt::install();
  });
  return device::backend(Device::cuda(0));
}

namespace {

std::shared_ptr<device::Module> load(const CudaText& text) {
  const std::string& architecture = gpu().properties().architecture;
  if (architecture == "simt") return gpu().load(std::as_bytes(std::span(text.text)));
#ifdef SINTER_WITH_CUDA
  return gpu().load(device::cuda::compile({text.text, text.entry, architecture, device::cuda::strict_options}).cubin);
#else
  throw DeviceError("this build has no CUDA support");
#endif
}

}  // namespace

DeviceKernel::DeviceKernel(const CudaText& text)
    : text_(text), module_(load(text_)), function_(module_->function(text_.entry)) {}

DeviceKernel::DeviceKernel(const tile_ir::Kernel& kernel) : DeviceKernel(emit(tile_ir::assign_layouts(kernel))) {}

void DeviceKernel::launch(int64_t grid, const std::vector<uint64_t>& slots) const {
  gpu().launch(*function_, {.grid = grid, .threads = text_.threads, .shared_bytes = text_.dynamic_shared_bytes},
               slots.data(), slots.size(), nullptr);
}

std::vector<std::vector<unsigned char>> run(const DeviceKernel& kernel, int64_t grid,
                                            const std::vector<Argument>& arguments) {
  std::vector<std::unique_ptr<DeviceArray<unsigned char>>> arrays;
  std::vector<uint64_t> slots;
  for (const Argument& a : arguments) {
    if (a.is_array) arrays.push_back(std::make_unique<DeviceArray<unsigned char>>(a.bytes));
    slots.push_back(a.is_array ? slot(*arrays.back()) : a.number);
  }
  kernel.launch(grid, slots);
  std::vector<std::vector<unsigned char>> result;
  for (const auto& array : arrays) result.push_back(array->values());
  return result;
}

}  // namespace sinter::cuda::testing
