// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/library_kernel.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "runtime/cache/kernel_store.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace sinter::compiler {
namespace {

std::string compiled([[maybe_unused]] const std::string& text, [[maybe_unused]] const std::string& entry,
                     [[maybe_unused]] const std::string& architecture) {
#ifdef SINTER_WITH_CUDA
  const auto result = device::cuda::compile({text, entry, architecture, device::cuda::strict_options});
  return {reinterpret_cast<const char*>(result.cubin.data()), result.cubin.size()};
#else
  throw DeviceError("this build has no CUDA support");
#endif
}

std::string image_of(const std::string& text, const std::string& entry, const std::string& architecture) {
  if (architecture == "simt") return text;  // the emulator runs the text itself
  const std::string key = architecture + "\n" + text;
  cache::DiskCache& disk = cache::DiskCache::standard();
  if (const auto stored = cache::load_kernel(disk, key)) return stored->image;
  std::string image = compiled(text, entry, architecture);
  cache::store_kernel(disk, key, image, entry);
  return image;
}

}  // namespace

device::Function& library_kernel(const std::string& text, const std::string& entry, Device device) {
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<std::string, std::string>, std::shared_ptr<device::Module>>;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<device::Module>& module = (*known)[{device.text(), text}];
  if (!module) {
    device::Backend& backend = device::backend(device);
    const std::string image = image_of(text, entry, backend.properties().architecture);
    module = backend.load(std::as_bytes(std::span(image.data(), image.size())));
  }
  return *module->function(entry);
}

}  // namespace sinter::compiler
