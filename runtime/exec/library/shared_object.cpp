// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/shared_object.h"

#include <dlfcn.h>

namespace sinter::exec {

SharedObject::SharedObject(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      file_ = file;
      return;
    }
    tried_ += (tried_.empty() ? "tried " : ", ") + file;
  }
  tried_ += ": not found";
}

void* SharedObject::symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace sinter::exec
