// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/callback.h>

#include <cstdint>
#include <string>

// Warnings: what the user should know and what changes no result, such as shapes that need too many compilations, or
// environment variables that cannot be read. The library prints them only where SINTER_LOG=warnings asks for it.

#pragma GCC visibility push(default)
namespace sinter {

/// Gets the text of one warning. May be called from any thread, from several at once, and while the library compiles:
/// it must not call compiled functions or ops. What it throws is dropped.
using WarningHandler = Callback<void(const std::string&)>;

/// Who gets the warnings of this process from now on; an empty one for nobody. Returns the handler so far.
WarningHandler set_warning_handler(WarningHandler handler);

/// Warnings of this process so far, handled or not.
int64_t warning_count() noexcept;

}  // namespace sinter
#pragma GCC visibility pop
