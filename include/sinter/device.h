// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace sinter {

enum class DeviceKind : uint8_t { cpu, cuda };

/// Where a tensor lives and ops run.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int16_t index = 0;

  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index = 0) { return {DeviceKind::cuda, static_cast<int16_t>(index)}; }
  /// cuda:0 if a driver and a GPU are there, else the CPU. Never throws.
  static Device best();
  constexpr bool is_cpu() const { return kind == DeviceKind::cpu; }
  constexpr bool is_cuda() const { return kind == DeviceKind::cuda; }
  /// "cpu" or "cuda:0".
  std::string text() const { return is_cpu() ? "cpu" : "cuda:" + std::to_string(index); }
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

}  // namespace sinter
#pragma GCC visibility pop
