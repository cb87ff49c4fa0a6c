// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>

#include <optional>

namespace sinter::device {

/// What layers further right want to know. Null: nobody. Set once, while the library starts.
struct Hooks {
  /// This thread's current stream is about to change: recorded work belongs on the old one.
  void (*before_stream_change)(Device) = nullptr;
  /// The public API is about to wait for a device or stream: recorded work must be queued by then.
  void (*before_synchronize)(Device) = nullptr;
  /// The wait is over, for one stream or for all of the device: status words that kernels wrote there can be read. May
  /// throw.
  void (*after_synchronize)(Device, std::optional<void*> stream) = nullptr;
};

Hooks& hooks();

}  // namespace sinter::device
