// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/device/backend.h"
#include "tests/simt/block.h"

namespace sinter::simt {

/// The emulator: Device::cuda(0) for machines without a GPU. It runs the CUDA text that NVRTC would be given, compiled
/// as C++ (properties().architecture is "simt": the image of a module is the text), with the threads of a block as
/// fibers, and checks what a GPU would not (see BlockRunner). A kernel that does something wrong is a DeviceError at
/// its launch. Takes CUDA's place; call it before the first use of Device::cuda.
///
/// Threads run in an order that changes from launch to launch; SINTER_SIMT_ORDER = forward, reverse or a number (the
/// seed of a random order) fixes it.
void install();

/// Fixes the order, or lets it change again (the default).
void set_order(Order order, uint64_t seed);
void vary_order();

/// The text behind a function that the emulator loaded.
const std::string& text_of(const device::Function& function);

}  // namespace sinter::simt
