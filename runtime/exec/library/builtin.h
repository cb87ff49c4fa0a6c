// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/exec/library/provider.h"

namespace sinter::exec {

/// The providers that this build has, in the order in which they are asked. CUDA's are in runtime/exec/library/cuda, or
/// none in no_cuda.
std::vector<std::unique_ptr<Provider>> cuda_providers();

}  // namespace sinter::exec
