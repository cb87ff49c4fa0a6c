// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/warnings.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::device {

/// What SINTER_LOG can ask for. Nothing is ever printed otherwise.
enum class LogChannel : uint8_t { recompiles, fusion, cache, compile, memory, warnings };

/// Names in the order of LogChannel.
inline constexpr std::string_view log_channel_names[] = {"recompiles", "fusion", "cache",
                                                         "compile",    "memory", "warnings"};

/// Is the channel on? Some nanoseconds: ask before building the text.
bool log_enabled(LogChannel channel) noexcept;
/// Prints `[sinter channel] text` as one line on stderr if the channel is on.
void log(LogChannel channel, std::string_view text);
/// Turns on exactly these channels ("fusion,cache", "all", ""); replaces SINTER_LOG.
void set_log_channels(std::string_view channels);
/// The parts of such a list that name no channel.
std::vector<std::string> unknown_log_channels(std::string_view channels);

/// Something the user should know and that changes no result. Counted, handed to the handler, and printed if
/// SINTER_LOG=warnings (sinter/warnings.h).
void warn(const std::string& text) noexcept;
using sinter::set_warning_handler;
using sinter::warning_count;

}  // namespace sinter::device
