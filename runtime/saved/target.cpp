// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/target.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace sinter::saved {
namespace {

struct Capability {
  int major = 0, minor = 0;
  bool specific = false;  ///< of this one architecture
};

std::optional<Capability> capability(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  int number = 0;
  const char* end = architecture.data() + architecture.size();
  const auto [rest, error] = std::from_chars(architecture.data() + 3, end, number);
  if (error != std::errc() || number < 10) return std::nullopt;
  return Capability{number / 10, number % 10, rest != end};
}

/// Levels of x86-64, each including those before it; 0 is unknown.
int level(std::string_view architecture) {
  constexpr std::pair<std::string_view, int> levels[] = {{"x86-64", 1}, {"x86-64-v3", 3}, {"x86-64-v4", 4}};
  for (const auto& [name, number] : levels)
    if (name == architecture) return number;
  return 0;
}

constexpr int exact = 1000;

}  // namespace

std::string Target::text() const {
  if (source) return "CUDA source";
  return kind == DeviceKind::cpu ? "CPU " + architecture : architecture;
}

int fitness(const Target& target, Device device, const device::Properties& properties) {
  if (target.kind != device.kind) return 0;
  if (target.source) return 1;
  if (target.architecture == properties.architecture) return exact;
  if (device.is_cpu()) {
    const int needs = level(target.architecture), has = level(properties.architecture);
    return needs > 0 && needs <= has ? 1 + needs : 0;
  }
  const auto needs = capability(target.architecture), has = capability(properties.architecture);
  if (!needs || !has || needs->specific || needs->major != has->major || needs->minor > has->minor) return 0;
  return 2 + needs->minor;
}

std::string why_none(const std::vector<Target>& targets, Device device, const device::Properties& properties) {
  std::string list;
  for (const Target& t : targets) list += (list.empty() ? "" : ", ") + t.text();
  return fmt::format("has code for {}; {} is {} ({})", list.empty() ? "nothing" : list, device.text(),
                     properties.architecture, properties.name);
}

}  // namespace sinter::saved
