// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/nvrtc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/device/cuda/driver.h"
#include "runtime/device/environment.h"

namespace sinter::device::cuda {

namespace {

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

bool load(const std::string& library, Nvrtc& n) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
#define SINTER_FIND(name, parameters) \
  if (!find(handle, "nvrtc" #name, n.name)) return false;
  SINTER_NVRTC(SINTER_FIND)
#undef SINTER_FIND
  int major = 0, minor = 0, count = 0;
  if (n.Version(&major, &minor) != NVRTC_SUCCESS || n.GetNumSupportedArchs(&count) != NVRTC_SUCCESS) return false;
  n.version = major * 1000 + minor * 10;
  n.architectures.resize(static_cast<size_t>(count));
  return n.GetSupportedArchs(n.architectures.data()) == NVRTC_SUCCESS;
}

/// A driver runs machine code of its own major version and older ones.
std::vector<std::string> candidates() {
  if (const std::string& chosen = environment().nvrtc; !chosen.empty()) return {chosen};
  const Driver* d = driver().driver;
  const bool old = d != nullptr && d->version < 13000;
  std::vector<std::string> names =
      old ? std::vector<std::string>{"libnvrtc.so.12"} : std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12"};
  // Where toolkits are installed that the loader has not been told of.
  for (size_t i = 0, n = names.size(); i < n; ++i)
    for (const char* folder : {"/usr/local/cuda/lib64/", "/opt/cuda/lib64/"}) names.push_back(folder + names[i]);
  return names;
}

}  // namespace

NvrtcResult load_nvrtc(const std::vector<std::string>& libraries) {
  NvrtcResult result;
  for (const std::string& library : libraries) {
    Nvrtc n;
    if (!load(library, n)) {
      result.text += fmt::format("{}{}: not found", result.text.empty() ? "NVRTC: tried " : ", ", library);
      continue;
    }
    result.text = fmt::format("NVRTC {}.{}: found", n.version / 1000, n.version % 1000 / 10);
    result.nvrtc = std::move(n);
    result.found = true;
    break;
  }
  return result;
}

const NvrtcResult& nvrtc() {
  static const NvrtcResult result = load_nvrtc(candidates());
  return result;
}

}  // namespace sinter::device::cuda
