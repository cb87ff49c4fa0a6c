// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/device/cuda/driver.h"

namespace sinter::device::cuda {

/// The real driver with a counter before every function. All of this program's CUDA devices use it.
const Driver& counting_driver();

/// Calls so far, by name ("LaunchKernel").
std::map<std::string, int64_t> driver_calls();
/// Calls since `before`; names without any are left out.
std::map<std::string, int64_t> driver_calls_since(const std::map<std::string, int64_t>& before);

}  // namespace sinter::device::cuda
