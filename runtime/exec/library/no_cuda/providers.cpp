// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/builtin.h"

namespace sinter::exec {

std::vector<std::unique_ptr<Provider>> cuda_providers() { return {}; }

}  // namespace sinter::exec
