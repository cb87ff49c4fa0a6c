// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn_provider.h"

namespace sinter::exec {

std::unique_ptr<Provider> make_cudnn_provider() { return nullptr; }

}  // namespace sinter::exec
