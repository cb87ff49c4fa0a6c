// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/backend.h"

namespace sinter::saved {

/// What code was made for.
struct Target {
  DeviceKind kind = DeviceKind::cpu;
  std::string architecture;  ///< "x86-64-v4", "sm_90a"; of source the one its schedule was chosen for
  bool source = false;       ///< CUDA C, compiled where it is loaded
  std::string made_with;     ///< "NVRTC 13.0"
  friend bool operator==(const Target&, const Target&) = default;

  /// "CPU x86-64-v4", "sm_90a", "CUDA source"
  std::string text() const;
};

/// How well a target's code runs on a device: 0 not at all; the highest is tried first. Cubins of one major version run
/// on its later minor versions, but for those of architecture-specific instructions ("sm_90a"); CPU code on every level
/// that includes its own.
int fitness(const Target& target, Device device, const device::Properties& properties);

/// Why none of the targets runs on the device, as the middle of a message: "has code for sm_90a; cuda:0 is sm_80".
std::string why_none(const std::vector<Target>& targets, Device device, const device::Properties& properties);

}  // namespace sinter::saved
