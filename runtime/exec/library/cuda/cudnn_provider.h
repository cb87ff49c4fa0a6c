// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/exec/library/provider.h"

namespace sinter::exec {

/// Convolutions by cuDNN; nullptr in builds without its headers (folder no_cudnn).
std::unique_ptr<Provider> make_cudnn_provider();

}  // namespace sinter::exec
