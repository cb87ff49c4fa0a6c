// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/device/backend.h"

namespace sinter::device::cpu {

/// What this host is: name, instruction set level, vector width, threads.
Properties machine();

}  // namespace sinter::device::cpu
