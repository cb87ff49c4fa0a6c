// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sinter::device::cpu {

/// memmove; long blocks that do not overlap are copied by all threads.
void copy_bytes(void* to, const void* from, size_t bytes);

}  // namespace sinter::device::cpu
