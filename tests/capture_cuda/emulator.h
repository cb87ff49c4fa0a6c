// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "tests/simt/backend.h"

namespace sinter::test {

/// Makes Device::cuda(0) the emulator; not if SINTER_TEST_GPU is set.
inline void use_emulator() {
  if (std::getenv("SINTER_TEST_GPU") == nullptr) simt::install();
}

}  // namespace sinter::test
