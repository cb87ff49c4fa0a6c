// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "tests/simt/backend.h"

namespace sinter::test {

/// Makes Device::cuda(0) the emulator, once in the process; not if SINTER_TEST_GPU is set.
inline void use_emulator() {
  static const bool once = [] {
    if (std::getenv("SINTER_TEST_GPU") == nullptr) simt::install();
    return true;
  }();
  (void)once;
}

}  // namespace sinter::test
