// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <cstdlib>

#include "tests/simt/backend.h"

namespace sinter::test {

/// A GPU where SINTER_TEST_GPU is set, else the emulator.
inline Device cuda_device() {
  static const bool ready = [] {
    if (std::getenv("SINTER_TEST_GPU") == nullptr) simt::install();
    return true;
  }();
  (void)ready;
  return Device::cuda(0);
}

}  // namespace sinter::test
