// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/device/backend.h"

namespace sinter::compiler {

/// A kernel of a CUDA text of ours that is not generated from a graph: compiled once in the process for a device, and
/// kept on disk like generated ones. It lives for ever.
device::Function& library_kernel(const std::string& text, const std::string& entry, Device device);

}  // namespace sinter::compiler
