// SPDX-License-Identifier: Apache-2.0
#include <sinter/allocator.h>

#include <utility>

#include "runtime/device/backend.h"

namespace sinter {

void set_allocator(Device device, Allocator allocator, SourceLine line) {
  if (!allocator.allocate || !allocator.release)
    throw UserError({.op = "set_allocator",
                     .what = std::string("the allocator has no ") + (allocator.allocate ? "release" : "allocate"),
                     .line = line,
                     .context = {},
                     .fix = "set both functions; reset_allocator() goes back to the one of Sinter"});
  device::backend(device, line).set_allocator(std::move(allocator));
}

void reset_allocator(Device device) { device::backend(device).set_allocator({}); }

}  // namespace sinter
