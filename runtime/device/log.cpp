// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "runtime/device/environment.h"

namespace sinter::device {

namespace {

constexpr uint32_t unread = ~0u;  ///< SINTER_LOG has not been looked at yet
std::atomic<uint32_t> enabled{unread};
std::atomic<int64_t> warnings{0};

struct Handler {
  std::mutex mutex;
  WarningHandler call;
};
/// Never destroyed: warnings may come from other static destructors.
Handler& handler() {
  static auto* value = new Handler;
  return *value;
}

/// Calls f(part) for each non-empty part between commas.
template <class F>
void for_each_part(std::string_view list, F f) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) f(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

/// The channel's bit, all of them for "all", 0 if there is none of that name.
uint32_t bits_of(std::string_view name) {
  if (name == "all") return (1u << std::size(log_channel_names)) - 1;
  const auto* found = std::find(std::begin(log_channel_names), std::end(log_channel_names), name);
  return found == std::end(log_channel_names) ? 0 : 1u << (found - std::begin(log_channel_names));
}

uint32_t mask_of(std::string_view channels) {
  uint32_t mask = 0;
  for_each_part(channels, [&](std::string_view name) { mask |= bits_of(name); });
  return mask;
}

}  // namespace

bool log_enabled(LogChannel channel) noexcept {
  uint32_t mask = enabled.load(std::memory_order_relaxed);
  if (mask == unread) {
    mask = mask_of(environment().log);
    uint32_t expected = unread;
    if (!enabled.compare_exchange_strong(expected, mask, std::memory_order_relaxed)) mask = expected;
  }
  return (mask >> static_cast<int>(channel) & 1u) != 0;
}

void log(LogChannel channel, std::string_view text) {
  if (!log_enabled(channel)) return;
  const std::string line = fmt::format("[sinter {}] {}\n", log_channel_names[static_cast<size_t>(channel)], text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void set_log_channels(std::string_view channels) { enabled.store(mask_of(channels), std::memory_order_relaxed); }

std::vector<std::string> unknown_log_channels(std::string_view channels) {
  std::vector<std::string> unknown;
  for_each_part(channels, [&](std::string_view name) {
    if (bits_of(name) == 0) unknown.emplace_back(name);
  });
  return unknown;
}

void warn(const std::string& text) noexcept {
  warnings.fetch_add(1, std::memory_order_relaxed);
  try {
    WarningHandler call;
    {
      const std::lock_guard lock(handler().mutex);
      call = handler().call;
    }
    if (call) call(text);
    log(LogChannel::warnings, text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a warning that cannot be delivered is still counted
  }
}

}  // namespace sinter::device

namespace sinter {

int64_t warning_count() noexcept { return device::warnings.load(std::memory_order_relaxed); }

WarningHandler set_warning_handler(WarningHandler replacement) {
  const std::lock_guard lock(device::handler().mutex);
  std::swap(device::handler().call, replacement);
  return replacement;
}

}  // namespace sinter
