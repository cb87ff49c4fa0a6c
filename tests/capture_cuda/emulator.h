// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/simt/backend.h"

namespace sinter::test {

/// Makes Device::cuda(0) the emulator, once in the process.
inline void use_emulator() {
  static const bool once = (simt::install(), true);
  (void)once;
}

}  // namespace sinter::test
