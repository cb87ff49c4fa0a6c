// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sinter::exec::cudnn {
namespace {

template <class F>
bool find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

bool load(const std::string& file, Library& to) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
#define SINTER_FIND(name, parameters) \
  if (!find(handle, "cudnn" #name, to.name)) return false;
  SINTER_CUDNN(SINTER_FIND)
#undef SINTER_FIND
  size_t (*version)() = nullptr;
  if (!find(handle, "cudnnGetErrorString", to.GetErrorString) ||
      !find(handle, "cudnnGetLastErrorString", to.GetLastErrorString) || !find(handle, "cudnnGetVersion", version))
    return false;
  const size_t v = version();
  to.text = fmt::format("cuDNN {}.{}.{}", v / 10000, v / 100 % 100, v % 100);
  to.found = v / 10000 == 9;
  return to.found;
}

}  // namespace

Library load(const std::vector<std::string>& files) {
  std::string tried;
  for (const std::string& file : files) {
    Library found;
    if (load(file, found)) return found;
    tried += fmt::format("{}{}: not found", tried.empty() ? "cuDNN: tried " : ", ", file);
  }
  Library none;
  none.text = std::move(tried);
  return none;
}

const Library& library() {
  static const Library found =
      load({"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9", "/opt/cuda/lib64/libcudnn.so.9"});
  return found;
}

}  // namespace sinter::exec::cudnn
