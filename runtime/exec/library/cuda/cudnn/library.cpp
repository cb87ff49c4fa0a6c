// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn/library.h"

#include <fmt/format.h>

#include "runtime/exec/library/shared_object.h"

namespace sinter::exec::cudnn {

Library load(const std::vector<std::string>& files) {
  Library l;
  const SharedObject object(files);
  l.text = "cuDNN: " + object.tried();
  if (!object.found()) return l;
  size_t (*version)() = nullptr;
  bool complete = object.find("cudnnGetErrorString", l.GetErrorString) &&
                  object.find("cudnnGetLastErrorString", l.GetLastErrorString) &&
                  object.find("cudnnGetVersion", version);
#define SINTER_FIND(name, parameters) complete = complete && object.find("cudnn" #name, l.name);
  SINTER_CUDNN(SINTER_FIND)
#undef SINTER_FIND
  if (!complete) {
    l.text = fmt::format("cuDNN: {} is not version 9", object.file());
    return l;
  }
  const size_t v = version();
  l.text = fmt::format("cuDNN {}.{}.{}", v / 10000, v / 100 % 100, v % 100);
  l.found = v / 10000 == 9;
  return l;
}

const Library& library() {
  static const Library found =
      load({"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9", "/opt/cuda/lib64/libcudnn.so.9"});
  return found;
}

}  // namespace sinter::exec::cudnn
