// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cublaslt/library.h"

#include <fmt/format.h>

#include <vector>

#include "runtime/device/cuda/driver.h"
#include "runtime/exec/library/shared_object.h"

namespace sinter::exec::cublaslt {
namespace {

/// A driver runs the code of its own major version and older ones. Then where toolkits are installed that the loader
/// has not been told of.
std::vector<std::string> candidates() {
  const device::cuda::Driver* d = device::cuda::driver().driver;
  const bool old = d != nullptr && d->version < 13000;
  std::vector<std::string> names = old ? std::vector<std::string>{"libcublasLt.so.12"}
                                       : std::vector<std::string>{"libcublasLt.so.13", "libcublasLt.so.12"};
  for (size_t i = 0, n = names.size(); i < n; ++i)
    for (const char* folder : {"/usr/local/cuda/lib64/", "/opt/cuda/lib64/"}) names.push_back(folder + names[i]);
  return names;
}

Library load() {
  Library l;
  const SharedObject object(candidates());
  l.text = object.tried();
  if (!object.found()) return l;
#define SINTER_FIND(result, name, parameters)           \
  if (!object.find("cublasLt" #name, l.name)) {         \
    l.text = object.file() + ": has no cublasLt" #name; \
    return l;                                           \
  }
  SINTER_CUBLASLT(SINTER_FIND)
#undef SINTER_FIND
  const size_t v = l.GetVersion();  // 130100 is 13.1.0, 120402 is 12.4.2
  l.text = fmt::format("{}.{}.{} ({})", v / 10000, v / 100 % 100, v % 100, object.file());
  l.found = true;
  return l;
}

}  // namespace

const Library& library() {
  static const Library l = load();
  return l;
}

}  // namespace sinter::exec::cublaslt
