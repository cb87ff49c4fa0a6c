// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sinter::exec::onednn {
namespace {

template <class F>
bool find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

bool load(const std::string& file, Library& to) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
#define SINTER_FIND(name) \
  if (!find(handle, "dnnl_" #name, to.name)) return false;
  SINTER_ONEDNN(SINTER_FIND)
  SINTER_ONEDNN_OF_VERSION(SINTER_FIND)
#undef SINTER_FIND
  decltype(&::dnnl_version) version = nullptr;
  if (!find(handle, "dnnl_version", version)) return false;
  const dnnl_version_t& v = *version();
  to.text = fmt::format("oneDNN {}.{}.{}", v.major, v.minor, v.patch);
  to.found = v.major == DNNL_VERSION_MAJOR;
  return to.found;
}

const char* words(dnnl_status_t status) {
  return status == dnnl_unimplemented       ? "not implemented for this machine"
         : status == dnnl_invalid_arguments ? "invalid arguments"
         : status == dnnl_out_of_memory     ? "out of memory"
                                            : "runtime error";
}

}  // namespace

Library load(const std::string& file) {
  Library found;
  if (load(file, found)) return found;
  Library none;
  none.text = fmt::format("oneDNN: tried {}: not found", file);
  return none;
}

const Library& library() {
  static const Library found = load(fmt::format("libdnnl.so.{}", DNNL_VERSION_MAJOR));
  return found;
}

void check(dnnl_status_t status, const char* call) {
  if (status != dnnl_success) throw Refusal(fmt::format("{}: {}", call, words(status)));
}

dnnl_engine_t engine() {
  static const dnnl_engine_t cpu = [] {
    dnnl_engine_t e = nullptr;
    check(library().engine_create(&e, dnnl_cpu, 0), "dnnl_engine_create");
    return e;
  }();
  return cpu;
}

}  // namespace sinter::exec::onednn
