// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/device/backend.h"

namespace sinter::device {

/// The CPU; index must be 0.
std::unique_ptr<Backend> make_cpu_backend(int index);
/// A CUDA device; throws DeviceError that says what was looked for. Built without CUDA headers: always throws.
std::unique_ptr<Backend> make_cuda_backend(int index);

}  // namespace sinter::device
