// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/builtin.h"

namespace sinter::exec {

std::vector<std::unique_ptr<Provider>> cuda_providers() {
  std::vector<std::unique_ptr<Provider>> list;
  if (auto cudnn = make_cudnn_provider()) list.push_back(std::move(cudnn));
  return list;
}

}  // namespace sinter::exec
