// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "runtime/exec/library/builtin.h"

namespace sinter::exec {

std::vector<std::unique_ptr<Provider>> cuda_providers() {
  std::vector<std::unique_ptr<Provider>> all;
  if (auto p = make_cublaslt_provider()) all.push_back(std::move(p));
  if (auto p = make_cudnn_provider()) all.push_back(std::move(p));
  return all;
}

}  // namespace sinter::exec
