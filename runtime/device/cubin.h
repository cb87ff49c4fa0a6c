// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "runtime/device/backend.h"

namespace sinter::device {

/// What a kernel in a cubin needs, read from the file: no driver and no GPU are asked. `local_bytes` is the stack
/// frame, where spilled registers are. CompileError if the file is damaged or has no such kernel.
FunctionInfo kernel_resources(std::span<const std::byte> cubin, std::string_view kernel);

}  // namespace sinter::device
