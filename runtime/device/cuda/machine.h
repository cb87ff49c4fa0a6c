// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/context.h"

namespace sinter::device::cuda {

/// What a GPU is: name, architecture, limits.
Properties machine(const Context& context);

/// The architecture to compile for: "sm_90a" for 9.0, whose instructions of its own we use, else "sm_80".
std::string architecture(int major, int minor);

}  // namespace sinter::device::cuda
