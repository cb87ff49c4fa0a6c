// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/builtin.h"

namespace sinter::exec {

std::unique_ptr<Provider> make_cudnn_provider() { return nullptr; }

}  // namespace sinter::exec
