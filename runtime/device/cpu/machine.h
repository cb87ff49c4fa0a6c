// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/device/backend.h"

namespace sinter::device::cpu {

/// What this host is: name, instruction set level, vector width, threads.
Properties machine();

/// Processors this process may use: its affinity, and the quota of its control group (a container's), at least 1.
int usable_processors();

}  // namespace sinter::device::cpu
