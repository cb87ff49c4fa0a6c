// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/device/environment.h"

namespace sinter::device::cuda {

namespace {

/// cuGetProcAddress as it is since CUDA 12.
using GetProcAddress = CUresult(CUDAAPI*)(const char* symbol, void** function, int version, cuuint64_t flags,
                                          void* status);

template <class F>
bool find(GetProcAddress get, const char* name, int version, F& function) {
  void* address = nullptr;
  // Legacy: a null stream is the one that PyTorch and plain CUDA programs use.
  if (get(name, &address, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr) != CUDA_SUCCESS || address == nullptr)
    return false;
  function = reinterpret_cast<F>(address);
  return true;
}

/// Fills in all functions; the name of one that is missing, or nullptr.
const char* find_all(GetProcAddress get, Driver& d) {
#define SINTER_FIND(name, version, parameters) \
  if (!find(get, "cu" #name, version, d.name)) return "cu" #name;
  SINTER_CUDA_DRIVER(SINTER_FIND)
#undef SINTER_FIND
  return nullptr;
}

/// The driver's version by the one function that every driver has under its plain name.
int version_of(void* library) {
  int version = 0;
  auto* get = reinterpret_cast<CUresult(CUDAAPI*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  return get != nullptr && get(&version) == CUDA_SUCCESS ? version : 0;
}

}  // namespace

DriverResult load_driver(const std::string& library) {
  DriverResult result;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: the driver's threads live on
  if (handle == nullptr) {
    const char* why = dlerror();
    const bool absent = why != nullptr && std::string(why).find("No such file") != std::string::npos;
    result.tried = fmt::format("{}: {}", library, absent || why == nullptr ? "not found" : why);
    return result;
  }
  const int version = version_of(handle);
  if (version == 0) {
    result.tried = library + ": is no CUDA driver";
    return result;
  }
  auto get = reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (version < minimum_driver_version || get == nullptr) {
    result.tried = fmt::format("{}: driver for CUDA {}.{}", library, version / 1000, version % 1000 / 10);
    result.too_old = version;
    return result;
  }
  static Driver loaded;  // the functions of a process's driver do not change
  Driver d;
  d.version = version;
  if (const char* missing = find_all(get, d)) {
    result.tried = fmt::format("{}: has no {}", library, missing);
    return result;
  }
  result.tried = fmt::format("{}: driver for CUDA {}.{}", library, version / 1000, version % 1000 / 10);
  result.initialisation = d.Init(0);
  loaded = d;
  result.driver = &loaded;
  return result;
}

const DriverResult& driver() {
  static const DriverResult result = [] {
    const std::string& chosen = environment().cuda_driver;
    return load_driver(chosen.empty() ? "libcuda.so.1" : chosen);
  }();
  return result;
}

}  // namespace sinter::device::cuda
