// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/driver.h"

namespace sinter::device::cuda {

/// A GPU behind any driver, a test's included; `driver` outlives it.
std::unique_ptr<Backend> make_backend(const Driver& driver, int index);

}  // namespace sinter::device::cuda
