// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/error.h>

#include <string>
#include <string_view>

namespace sinter::ops {

/// Throws the UserError of a call that is refused before it is recorded: what depends on a number is refused whether
/// the number is promoted or not.
[[noreturn]] void refuse(std::string_view op, SourceLine line, std::string what, std::string fix);

}  // namespace sinter::ops
